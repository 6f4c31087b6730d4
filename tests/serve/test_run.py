from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from run_carob import CAROB, carob

from carob import InputError
from carob.serve import check_server


def test_the_page_is_where_it_says_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    server = subprocess.Popen(
        [*CAROB, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        address = re.findall(r"http://127\.0\.0\.1:\d+/\?token=\S+", server.stdout.readline())[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with opener.open(address, timeout=20) as page:
            assert b"Choose a file with votes" in page.read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address.partition("?")[0], timeout=20)  # noqa: S310 (our own server)
    finally:
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=20)
    assert (server.returncode, err) == (0, "")


def test_a_port_that_is_taken_or_a_host_that_is_not_ours_is_refused() -> None:
    result = carob("serve", "--host", "192.0.2.1", "--port", "0")
    assert result.returncode == 2
    assert "cannot listen on 192.0.2.1:0" in result.stderr


@pytest.mark.parametrize("module", ["starlette", "uvicorn"])
def test_without_the_packages_of_the_page(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_server()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match="pip install 'carob"):
        check_server()


def test_without_its_packages_the_page_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['starlette'] = None; sys.argv[1:] = ['serve']; from carob.__main__ import main\nmain()"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (2, "")
    assert "pip install 'carob[serve]'" in found.stderr
