"""Labels by another library, in the environment that bench/peer_environment.py makes; carob is not needed here.

python bench/peers.py FILE OUT --peer NAME --classes K [--no-sources gold split] [--balance .3 .7]

FILE holds votes as bench/sets.py says. OUT is written as npz: `probabilities`, shape (n, K), and `seconds` of fitting
and labeling, without imports and without bringing the votes into the form that the library takes. Libraries are given
the points with votes; a silent point gets the class balance, equal shares where it is not given.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from pyarrow import parquet

# Takes votes with a vote on every point, the number of classes, the class balance or None; answers what is to be timed.
Peer = Callable[[Any, int, Any], Callable[[], Any]]


def crowd_kit(name: str) -> Peer:
    """A model of crowd-kit with its defaults; none of them is told the class balance."""

    def prepare(votes: Any, K: int, balance: Any) -> Callable[[], Any]:
        import crowdkit.aggregation
        import pandas as pd

        task, worker = np.nonzero(votes >= 0)
        frame = pd.DataFrame({"task": task, "worker": worker, "label": votes[task, worker]})
        model = getattr(crowdkit.aggregation, name)()

        def run() -> Any:
            found = model.fit_predict_proba(frame)
            return found.reindex(index=range(len(votes)), columns=range(K), fill_value=0.0).to_numpy()

        return run

    return prepare


def snorkel(votes: Any, K: int, balance: Any) -> Callable[[], Any]:
    """Snorkel's LabelModel with its defaults, a seed, and the class balance where given."""
    from snorkel.labeling.model import LabelModel

    model = LabelModel(cardinality=K, verbose=False)

    def run() -> Any:
        model.fit(votes, class_balance=balance, progress_bar=False, seed=0)
        return model.predict_proba(votes)

    return run


def hyper_label_model(votes: Any, K: int, balance: Any) -> Callable[[], Any]:
    """The hyper label model with the weights inside its package; it is not told the class balance."""
    import torch
    from hyperlm import HyperLabelModel

    # Its file of weights also holds a NumPy number; nothing else than weights and that is loaded.
    number = [
        (np._core.multiarray.scalar, "numpy.core.multiarray.scalar"),  # type: ignore[attr-defined]
        np.dtype,
        type(np.dtype("f8")),
    ]
    with torch.serialization.safe_globals(number):
        model = HyperLabelModel(device="cpu")

    def run() -> Any:
        found = model.infer(votes, return_probs=True)
        return np.pad(found, ((0, 0), (0, K - found.shape[1])))

    return run


PEERS: dict[str, Peer] = {
    "DawidSkene": crowd_kit("DawidSkene"),
    "OneCoin": crowd_kit("OneCoinDawidSkene"),
    "MACE": crowd_kit("MACE"),
    "GLAD": crowd_kit("GLAD"),
    "Snorkel": snorkel,
    "HyperLM": hyper_label_model,
}


def main() -> int:
    """Read, label, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("out")
    parser.add_argument("--peer", required=True, choices=PEERS)
    parser.add_argument("--classes", type=int, required=True)
    parser.add_argument("--no-sources", nargs="*", default=[])
    parser.add_argument("--balance", nargs="*", type=float)
    options = parser.parse_args()
    table = parquet.read_table(options.file)
    names = [name for name in table.column_names if name not in options.no_sources]
    votes = np.column_stack([table[name].to_numpy() for name in names]).astype(np.int64)
    voted = (votes >= 0).any(axis=1)
    work = PEERS[options.peer](votes[voted], options.classes, options.balance)
    start = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - start
    shares = options.balance or [1 / options.classes] * options.classes
    probabilities = np.tile(shares, (len(votes), 1))
    probabilities[voted] = found
    np.savez(options.out, probabilities=probabilities, seconds=seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
