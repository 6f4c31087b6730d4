"""Other libraries, in an environment of their own: made once in `.peers/`, and asked for labels."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sets import NO_SOURCES

from carob._types import Floats

HERE = Path(__file__).parent
FOLDER = HERE.parent / ".peers"
PINS = HERE / "peers.txt"
PATIENCE = 600  # seconds for one peer on one set

# The package that each peer of bench/peers.py is in.
PACKAGES = {
    "DawidSkene": "crowd-kit",
    "OneCoin": "crowd-kit",
    "MACE": "crowd-kit",
    "GLAD": "crowd-kit",
    "Snorkel": "snorkel",
    "HyperLM": "hyperlm",
}
ABSENT = {"FlyingSquid": "not on the package index"}


class PeerError(Exception):
    """A peer is not there, or gave no labels."""


@dataclass(frozen=True)
class Labels:
    """Probabilities of all points, shape (n, K), and the seconds they took."""

    probabilities: Floats
    seconds: float


@dataclass(frozen=True)
class Peers:
    """The environment, and why each package that is not in it is not."""

    python: Path
    missing: dict[str, str]

    @classmethod
    def make(cls) -> Peers:
        """Install what bench/peers.txt pins, once; a package that cannot be installed stops no other."""
        pins, ready, python = PINS.read_text(encoding="utf-8"), FOLDER / "ready.json", FOLDER / "bin" / "python"
        if ready.exists():
            state = json.loads(ready.read_text(encoding="utf-8"))
            if state["pins"] == pins:
                return cls(python, state["missing"])
        print(f"installing other libraries into {FOLDER.name}/, once ...", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(FOLDER)], check=True)
        missing = {}
        for package in dict.fromkeys(PACKAGES.values()):
            command = [str(python), "-m", "pip", "install", "--quiet", "--constraint", str(PINS), package, "pyarrow"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                missing[package] = last_line(done.stderr)
        ready.write_text(json.dumps({"pins": pins, "missing": missing}), encoding="utf-8")
        return cls(python, missing)

    @property
    def absent(self) -> dict[str, str]:
        """Peers that cannot be asked, and why."""
        lost = {peer: self.missing[package] for peer, package in PACKAGES.items() if package in self.missing}
        return lost | ABSENT

    def label(self, peer: str, file: Path, classes: int, balance: Sequence[float] | None) -> Labels:
        """Labels of one peer for one file of votes."""
        if peer in self.absent:
            raise PeerError(f"not installed: {self.absent[peer]}")
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "labels.npz"
            command = [str(self.python), str(HERE / "peers.py"), str(file), str(out), "--peer", peer]
            command += ["--classes", str(classes), "--no-sources", *NO_SOURCES]
            if balance is not None:
                command += ["--balance", *map(str, balance)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                raise PeerError(f"not done after {PATIENCE} s") from None
            if done.returncode:
                raise PeerError(last_line(done.stderr) or f"ended with code {done.returncode}")
            with np.load(out, allow_pickle=False) as found:
                return Labels(found["probabilities"], float(found["seconds"]))


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
