from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import carob

SOURCE = Path(carob.__file__).parent


def loaded(code: str) -> set[str]:
    """Top-level modules that running `code` in a new interpreter loads."""
    show = "import sys; print(' '.join({name.split('.')[0] for name in sys.modules}))"
    result = subprocess.run([sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_carob_loads_nothing_heavy() -> None:
    heavy = {
        "numpy",
        "pandas",
        "polars",
        "pyarrow",
        "sklearn",
        "scipy",
        "_cffi_backend",
        "duckdb",
        "rich",
        "altair",
        "starlette",
    }
    assert not loaded("import carob") & heavy
    assert not loaded("import carob.__main__") & heavy


def test_fitting_an_array_loads_neither_pandas_nor_scikit_learn() -> None:
    code = """
import numpy as np, carob
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
carob.LabelModel(replicates=0, class_balance=.5).fit(np.where(rng.random((5, 200)) < .8, y, 1 - y).T)
"""
    assert not loaded(code) & {"pandas", "polars", "sklearn", "duckdb", "rich"}


def test_every_public_name_is_there() -> None:
    for name in carob.__all__:
        assert getattr(carob, name) is not None
    assert set(carob.__all__) == set(dir(carob))
    assert not hasattr(carob, "nonsense")
    assert callable(carob.paper.posterior)


def imported(path: Path) -> set[str]:
    """Modules that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_commands_know_nothing_of_how_results_are_shown() -> None:
    files = sorted((SOURCE / "commands").glob("*.py"))
    assert len(files) > 7
    for path in files:
        if path.name == "options.py":  # the options of the command line
            continue
        heads = {".".join(name.split(".")[:2]) for name in imported(path)}
        assert not heads & {"carob.show", "carob.__main__", "rich", "rich.console", "click"}, path.name


def test_nothing_below_commands_knows_of_them() -> None:
    top = ("carob.commands", "carob.show", "carob.__main__")
    below = [
        path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in ("commands", "show", "serve")
    ]
    below.remove(SOURCE / "__init__.py")  # which names what is public
    for path in below:
        if path.name not in ("__main__.py", "cli.py", "cli_options.py"):
            assert not [name for name in imported(path) if name.startswith(top)], path


def test_what_is_shown_knows_nothing_of_the_command_line() -> None:
    for path in (SOURCE / "show").glob("*.py"):
        assert not [name for name in imported(path) if name.startswith(("carob.__main__", "click"))], path.name


def test_a_file_of_votes_is_read_without_pandas(tmp_path: Path) -> None:
    votes = tmp_path / "votes.parquet"
    columns = {"a": [0, 1, None, 1] * 50, "b": [0, 1, 1, 0] * 50, "c": [True, None, False, True] * 50}
    pq.write_table(pa.table(columns), votes)
    code = f"import carob; carob.LabelModel().fit(carob.read_votes({str(votes)!r}, classes=[0, 1]))"
    assert not loaded(code) & {"pandas", "polars", "sklearn", "duckdb", "rich"}
