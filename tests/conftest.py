from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

settings.register_profile("same every time", derandomize=True)
settings.load_profile("same every time")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """Path of a file of measured data that lies beside the project, and is no part of it."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs {name} in ../shared/data, which is not part of the project")
        return path

    return find


@pytest.fixture(scope="session")
def votes_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 2,000 points, ten independent sources named a..j, a key `id`, and gold `y` for the first 300."""
    votes = draw_votes(np.random.default_rng(0), 2_000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    assert votes.gold is not None
    path = tmp_path_factory.mktemp("data") / "votes.csv"
    lines = ["id," + ",".join("abcdefghij") + ",y"]
    for i, (row, truth) in enumerate(zip(votes.values.tolist(), votes.gold.values.tolist(), strict=True)):
        lines.append(f"p{i}," + ",".join(map(str, row)) + f",{truth if i < 300 else ''}")
    path.write_text("\n".join(lines) + "\n")
    return path
