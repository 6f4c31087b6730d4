from __future__ import annotations

import subprocess
import sys

import karat


def loaded(code: str) -> set[str]:
    """Top-level modules that running `code` in a new interpreter loads."""
    show = "import sys; print(' '.join({name.split('.')[0] for name in sys.modules}))"
    result = subprocess.run([sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_karat_loads_nothing_heavy() -> None:
    heavy = {"numpy", "pandas", "polars", "pyarrow", "sklearn", "scipy", "numba", "duckdb", "rich"}
    assert not loaded("import karat") & heavy
    assert not loaded("import karat.cli") & heavy


def test_fitting_an_array_loads_neither_pandas_nor_scikit_learn() -> None:
    code = """
import numpy as np, karat
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
karat.LabelModel(replicates=0, class_balance=.5).fit(np.where(rng.random((5, 200)) < .8, y, 1 - y).T)
"""
    assert not loaded(code) & {"pandas", "polars", "sklearn", "duckdb", "rich"}


def test_every_public_name_is_there() -> None:
    for name in karat.__all__:
        assert getattr(karat, name) is not None
    assert set(karat.__all__) == set(dir(karat))
    assert not hasattr(karat, "nonsense")
    assert callable(karat.posterior)
