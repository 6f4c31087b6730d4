#!/bin/sh
# What the browser tests need beside Python: Debian's Chromium, fonts, and axe-core.
set -eu
cd "$(dirname "$0")"
install_packages() {
    if [ "$(id -u)" = 0 ]; then as=""; else as="sudo"; fi
    $as apt-get -qq update
    DEBIAN_FRONTEND=noninteractive $as apt-get -qq install --yes --no-install-recommends "$@" >/dev/null
}
missing=""
command -v chromium >/dev/null || missing="chromium"
command -v npm >/dev/null || missing="$missing npm"
[ -d /usr/share/fonts/truetype/liberation ] || missing="$missing fonts-liberation"
# shellcheck disable=SC2086 # a list of names
[ -z "$missing" ] || install_packages $missing
npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts
