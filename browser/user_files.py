"""Files as users have them: wide, long, of many classes, with scores, and broken."""

from __future__ import annotations

import random
from pathlib import Path

ROOT = Path(__file__).parents[1]
BAD = "<img src=x onerror=alert(1)>"
MESSAGES = ROOT / "examples" / "messages.csv"
JUDGES = ROOT / "examples" / "answers.csv"


def wide(folder: Path) -> Path:
    """Names that want to be HTML, a key with zeros before it, a column of texts, 60 gold labels."""
    rng = random.Random(0)
    names = [BAD, "quotes \"and' such", "</style><script>alert(2)</script>", "plain", "naïve ü"]
    lines = ["id,text," + ",".join('"' + name.replace('"', '""') + '"' for name in names) + ",gold"]
    for i in range(400):
        truth = rng.random() < 0.4
        votes = ["" if rng.random() < 0.2 else "<i>yes" if (rng.random() < 0.75) == truth else "no" for _ in names]
        gold = ("<i>yes" if truth else "no") if i < 60 else ""
        lines.append(f'{i:05d},"{BAD} is what somebody wrote in message {i}",{",".join(votes)},{gold}')
    return _written(folder / "wide.csv", lines)


def long(folder: Path) -> Path:
    """A row per vote, under names of somebody else."""
    rng = random.Random(1)
    lines = ["item_id,annotator,answer"]
    for task in range(200):
        truth = rng.random() < 0.5
        votes = [(worker, "cat" if (rng.random() < 0.8) == truth else "dog") for worker in rng.sample(range(12), 5)]
        lines += [f"t{task},w{worker},{vote}" for worker, vote in votes]
    return _written(folder / "long.csv", lines)


def many_classes(folder: Path) -> Path:
    """Ten classes, so that they are chosen from a list."""
    rng = random.Random(2)
    lines = [",".join(f"s{k}" for k in range(6)) + ",y"]
    for i in range(500):
        truth = rng.randrange(10)
        votes = [f"c{truth if rng.random() < 0.6 else rng.randrange(10)}" for _ in range(6)]
        lines.append(",".join(votes) + f",{f'c{truth}' if i < 80 else ''}")
    return _written(folder / "classes.csv", lines)


def judged(folder: Path) -> Path:
    """Votes spelt in two ways, beside a rating from 0 to 100; no gold."""
    rng = random.Random(3)
    lines = ["id,a,b,c,rating"]
    for i in range(300):
        truth = i % 3 > 0
        votes = [rng.choice(["no", "no."]) if (rng.random() < 0.8) != truth else "yes" for _ in range(3)]
        lines.append(f"{i:05d},{','.join(votes)},{min(100, max(0, round(rng.gauss(60 if truth else 40, 15))))}")
    return _written(folder / "judged.csv", lines)


BROKEN = {
    "empty.csv": (b"", "is empty"),
    "table.xlsx": (b"PK\x03\x04", "files end in"),
    "cut.parquet": (b"PAR1 and nothing else", "cannot read"),
    "rows.csv": (b"a,b,c\n1,2\n", "cannot read"),
    "letters.csv": (b"a,b\n\xff\xfe\xfa,1\n", "UTF-8"),
}


def _written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
