"""How wide the intervals are that other libraries give from one judge, in the environment that bench/rate.py makes.

python bench/rate_peers.py FILE --level .9

FILE holds y (1 or 0 of each point, NaN where it is not known) and judges (what each says of each point, shape (n, m)).
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from ppi_py import ppi_mean_ci
from truescore import ppi_estimate


def main() -> None:
    """Print the widths of the intervals of each library, for each judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--level", type=float, required=True)
    options = parser.parse_args()
    with np.load(options.file) as content:
        y, judges = content["y"], content["judges"]
    gold = ~np.isnan(y)
    widths: dict[str, list[float]] = {"ppi_py": [], "truescore": []}
    alpha = 1 - options.level
    for judge in judges.T:
        if judge[gold].std() == 0 or judge[~gold].std() == 0:  # such a judge tells nothing
            for found in widths.values():
                found.append(1.0)
            continue
        low, high = ppi_mean_ci(y[gold], judge[gold], judge[~gold], alpha=alpha)
        widths["ppi_py"].append(float(np.squeeze(high - low)))
        found = ppi_estimate(judge, y[gold], np.flatnonzero(gold), alpha=alpha)
        widths["truescore"].append(found.high - found.low)
    print(json.dumps(widths))


if __name__ == "__main__":
    main()
