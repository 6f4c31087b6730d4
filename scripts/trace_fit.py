"""How many of carob's functions a fit calls, and how deep: what CONTRIBUTING.md tells.

python scripts/trace_fit.py
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import carob
from carob.label import readings

ROOT = Path(__file__).parents[1]
HERE = str(Path(carob.__file__).parent)


def main() -> None:
    """Fit the example with gold, and print functions, depth, and calls down to where votes are weighed."""
    votes = carob.read_votes(ROOT / "examples" / "messages.csv", key="id", gold="truth")
    carob.LabelModel().fit(votes, votes.gold)  # imports and caches
    seen: set[tuple[str, int]] = set()
    depth, deepest, to_weights = 0, 0, 0

    def watch(frame: types.FrameType, event: str, argument: Any) -> None:
        nonlocal depth, deepest, to_weights
        code = frame.f_code
        if not code.co_filename.startswith(HERE) or code.co_name.startswith("<"):
            return
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
            seen.add((code.co_filename, code.co_firstlineno))
            if code is readings.source_weights.__code__:
                to_weights = to_weights or depth - 1
        elif event == "return":
            depth -= 1

    sys.setprofile(watch)
    carob.LabelModel().fit(votes, votes.gold)
    sys.setprofile(None)
    files = len({file for file, _ in seen})
    print(f"LabelModel.fit with gold calls {len(seen)} functions of carob in {files} files, {deepest} deep;")
    print(f"from it to the line that says what a vote counts for it is {to_weights} calls.")


if __name__ == "__main__":
    main()
