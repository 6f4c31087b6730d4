"""The layout of the tree: tests mirror the source, and constants are measured."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from constants import CONSTANTS

import carob

SOURCE = Path(carob.__file__).parent
ROOT = Path(__file__).parents[1]


def modules() -> list[Path]:
    return [path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py")) if path.name != "__init__.py"]


def test_every_module_has_a_test_file_of_its_name_or_of_its_rooms() -> None:
    missing = []
    for path in modules():
        own = ROOT / "tests" / path.parent / f"test_{path.stem.strip('_')}.py"
        room = ROOT / "tests" / path.parent.parent / f"test_{path.parent.name.lstrip('_')}.py"
        names_only = path.name == "_types.py"
        if not own.exists() and not (path.parent.name and room.exists()) and not names_only:
            missing.append(str(path))
    assert missing == []


def test_every_constant_of_the_model_of_labels_is_measured_and_told_as_it_is() -> None:
    written = {}
    for path in ("readings", "model"):
        for line in (SOURCE / "label" / f"{path}.py").read_text(encoding="utf-8").splitlines():
            if (found := re.match(r"([A-Z][A-Z_0-9]+) = (.*?)  # ", line)) and found[1] != "STEPS":
                written[f"label.{path}.{found[1]}"] = ast.literal_eval(found[2])
    page = (ROOT / "docs" / "constants.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([\w.]+)` \| [^|]+ \| ([^|]+) \|", page, re.MULTILINE))
    assert told.keys() == written.keys() == {f"{m}.{name}" for m, names in CONSTANTS.items() for name in names}
    for name, value in written.items():
        values = value if isinstance(value, tuple) else (value,)
        assert [float(word) for word in told[name].split()] == list(values), name
