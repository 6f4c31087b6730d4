"""Speed as ratios, each to a yardstick timed in the same run, so that a slow machine is slow on both sides.

python bench/run.py            all of them, those of bench/scale.py last; exit code 1 if one does not hold
"""

from __future__ import annotations

import compileall
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import carob
from carob.paper.aggregate import aggregate_triplets


@dataclass(frozen=True)
class Result:
    """One line of the table: seconds, the yardstick's seconds, and the largest ratio allowed."""

    name: str
    seconds: float
    yardstick: str
    yard: float
    limit: float

    @property
    def ratio(self) -> float:
        """How many times the yardstick."""
        return self.seconds / self.yard

    def __str__(self) -> str:
        verdict = "holds" if self.ratio <= self.limit else "DOES NOT HOLD"
        times = f"{1e3 * self.seconds:9.1f} ms  {self.ratio:6.2f} x {self.yardstick} ({1e3 * self.yard:.1f} ms)"
        return f"{self.name:44} {times}; at most {self.limit:g}: {verdict}"


def best(work: Callable[[], object], repeats: int) -> float:
    """Shortest of several times, after one run to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def compile_modules() -> None:
    """As `pip install` does, so that processes start as they do for users."""
    compileall.compile_dir(Path(carob.__file__).parent, quiet=1)


def in_memory() -> list[Result]:
    """Pair counts and posterior of 2,000,000 x 32, against reading those bytes once."""
    rng = np.random.default_rng(0)
    n, m = 2_000_000, 32
    values = np.asfortranarray(rng.integers(0, 2, (n, m), dtype=np.int8))
    votes = carob.Votes.from_array(values)
    model = carob.paper.triplets(carob.Moments.of(votes), negative="absolute")
    words = values.T.reshape(-1).view(np.int64)
    read = best(lambda: words.sum(), 30)
    counted = best(lambda: carob.Moments.of(votes), 30)
    labeled = best(lambda: carob.paper.posterior(votes, model), 20)
    return [
        Result("pair counts, 2,000,000 x 32", counted, "reading the bytes", read, 3),
        Result("posterior, 2,000,000 x 32", labeled, "reading the bytes", read, 8),
    ]


def medians(m: int, repeats: int) -> Result:
    """Median triplets of m sources, against numpy.median of as many numbers."""
    rng = np.random.default_rng(0)
    a = rng.uniform(0.1, 0.5, m)
    noise = rng.normal(0, 0.01, (m, m))
    b = np.outer(a, a) + noise + noise.T
    allowed = ~np.eye(m, dtype=bool)
    ours = best(lambda: aggregate_triplets(b, allowed), repeats)
    numbers = rng.random(m * (m - 1) * (m - 2) // 2)
    return Result(f"median triplets, {m:,} sources", ours, "numpy.median", best(lambda: np.median(numbers), 1), 1)


def command(*words: str) -> float:
    """Seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - start


def starting() -> list[Result]:
    """How long one waits for the command line and the library."""
    python, script = sys.executable, str(Path(sys.executable).with_name("carob"))
    helped = best(lambda: command(script, "--help"), 10)
    return [
        Result("carob --help", helped, *imports(python, "click, rich"), 1.5),
        Result("import carob", imports(python, "carob")[1], *imports(python, "numpy"), 1.5),
    ]


def imports(python: str, names: str) -> tuple[str, float]:
    """What importing some modules is called, and how long it takes."""
    return f"import {names}", best(lambda: command(python, "-c", f"import {names}"), 10)


def theory() -> Result:
    """H(Y | votes) of a thousand sources, against one second."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 0.6, 1000)
    edges = {(i, i + 1): 0.6 for i in range(0, 600, 2)}
    seconds = best(lambda: carob.paper.Ising.from_means(p, edges).conditional_entropy, 3)
    return Result("H(Y | votes), 1,000 sources", seconds, "one second", 1, 1)


def main() -> int:
    """Print every ratio and whether it holds."""
    compile_modules()
    held = True
    for group in (
        in_memory,
        lambda: [medians(200, 5)],
        lambda: [medians(1000, 1)],
        starting,
        lambda: [theory()],
    ):
        for result in group():
            print(result, flush=True)
            held &= result.ratio <= result.limit
    scale = subprocess.run([sys.executable, str(Path(__file__).with_name("scale.py"))], check=False)
    return 0 if held and scale.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
