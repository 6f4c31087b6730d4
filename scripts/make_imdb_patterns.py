"""Make the table of IMDB vote patterns that ships with carob.

    python scripts/make_imdb_patterns.py REVIEWS

REVIEWS is what `carob.paper.datasets.read_imdb_reviews` takes: the folder or archive aclImdb, or a table.
"""

import sys
from pathlib import Path

import numpy as np

from carob.paper.datasets.imdb import imdb_sources, read_imdb_reviews
from carob.read.files import whole_file
from carob.read.rules import apply_sources

TARGET = Path(__file__).parent.parent / "src" / "carob" / "datasets" / "imdb_patterns.csv"


def main(path: str) -> None:
    """Read the reviews, apply the paper's twelve word rules, count the patterns."""
    reviews = read_imdb_reviews(path)
    votes = apply_sources(imdb_sources(), reviews.texts, classes=(0, 1))
    rows, counts = np.unique(np.column_stack([votes.values, reviews.labels]), axis=0, return_counts=True)
    with whole_file(TARGET) as file:
        file.write(b"pattern,y,count\n")
        for row, count in zip(rows, counts, strict=True):
            file.write(f"{''.join(map(str, row[:-1]))},{row[-1]},{count}\n".encode())
    print(f"{len(rows):,} patterns of {counts.sum():,} reviews written to {TARGET.name}")


if __name__ == "__main__":
    main(sys.argv[1])
