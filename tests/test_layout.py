"""The layout of the tree: tests mirror the source, and constants are measured."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

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


def test_every_constant_that_is_measured_exists_and_has_a_line_in_the_docs() -> None:
    places = re.findall(r'Constant\("([\w.]+):([\w.]+)"', (ROOT / "bench" / "constants.py").read_text(encoding="utf-8"))
    documented = (ROOT / "docs" / "constants.md").read_text(encoding="utf-8")
    assert len(places) > 40
    for module, name in places:
        found = importlib.import_module(f"carob.{module}")
        for part in name.split("."):
            found = getattr(found, part)
        assert f"`{module}.{name}`" in documented


def test_every_public_constant_of_an_estimate_is_measured() -> None:
    measured = (ROOT / "bench" / "constants.py").read_text(encoding="utf-8")
    # What users see, rather than what was tuned, or what only time depends on.
    chosen = {
        "FEWEST_BLOCKS", "SECONDS", "MOST_CLASSES", "NEXT_LABELS", "TIMES_POINTS", "FEWEST_GOLD", "SAME", "CERTAIN",
        "KINDS",
    }  # fmt: skip
    for path in modules():
        if path.parts[0] not in ("estimate", "calibrate", "value", "fit.py", "statistics.py"):
            continue
        for node in ast.parse((SOURCE / path).read_text(encoding="utf-8")).body:
            names = [target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)]
            for name in names:
                if re.fullmatch(r"[A-Z][A-Z_]+", name) and name not in chosen:
                    assert re.search(rf":{name}\b", measured), (path, name)
