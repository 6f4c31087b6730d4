"""Runs many cases in processes that are watched: `python tests/fuzz/hunt.py --cases 10000 --seed 1`.

A case is known by its seed and its number: `--only 123` runs that one again, and says all of it.
"""

from __future__ import annotations

import argparse
import json
import resource
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SECONDS, BYTES = 60, 1 << 30
_BATCH = 250  # cases of one process


@dataclass(frozen=True)
class Mishandled:
    """A case, what it was, and what went wrong."""

    seed: int
    number: int
    what: str
    wrong: tuple[str, ...]


def hunt(seed: int, numbers: Iterable[int], tell: Callable[[Mishandled], None] = lambda case: None) -> list[Mishandled]:
    """All mishandled cases among these, each told as it is found."""
    waiting, found = list(numbers), []
    while waiting:
        batch, waiting = waiting[:_BATCH], waiting[_BATCH:]
        for number, what, wrong in _watched(seed, batch):
            batch = batch[1:]
            if wrong:
                found.append(Mishandled(seed, number, what, tuple(wrong)))
                tell(found[-1])
        waiting = batch + waiting  # those that a process did not come to
    return found


def _watched(seed: int, numbers: list[int]) -> Iterator[tuple[int, str, list[str]]]:
    """Results of cases run by another process, up to one that ends it."""
    command = [sys.executable, __file__, "--seed", str(seed), "--worker", json.dumps(numbers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for number in numbers:
            ready, _, _ = select.select([running.stdout], [], [], SECONDS + (30 if number == numbers[0] else 0))
            if not ready:
                running.kill()
                yield number, "", [f"takes more than {SECONDS} seconds"]
                return
            line = running.stdout.readline()
            if not line:
                error = "" if running.stderr is None else running.stderr.read()[-600:]
                yield number, "", [f"ends the process: {running.wait()} {error}"]
                return
            what, wrong, grown = json.loads(line)
            if grown > BYTES:
                wrong.append(f"takes {grown >> 20:,} MB")
            yield number, what, wrong
            if grown > BYTES:
                running.kill()
                return


def _work(seed: int, numbers: list[int]) -> None:
    """Run cases and print what comes of each as a line."""
    from fuzz.judge import run_case

    out = sys.stdout
    for number in numbers:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        what, wrong = run_case(seed, number)
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        print(json.dumps([what, wrong, grown]), file=out, flush=True)


def _tell(case: Mishandled) -> None:
    print(f"seed {case.seed}, case {case.number}: {case.what}", *case.wrong, sep="\n    ", flush=True)  # noqa: T201


def main() -> int:
    """Hunt, and print what was found."""
    parser = argparse.ArgumentParser(description="Hostile inputs.")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))
    if arguments.worker is not None:
        _work(arguments.seed, json.loads(arguments.worker))
        return 0
    if arguments.only is not None:
        from fuzz.judge import run_case

        what, wrong = run_case(arguments.seed, arguments.only)
        print(what, *wrong, sep="\n")  # noqa: T201
        return int(bool(wrong))
    found = hunt(arguments.seed, range(arguments.first, arguments.first + arguments.cases), _tell)
    reasons = Counter(wrong.strip().splitlines()[-1][:80] for case in found for wrong in case.wrong)
    print(f"{len(found)} of {arguments.cases} cases mishandled", *reasons.most_common(), sep="\n")  # noqa: T201
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
