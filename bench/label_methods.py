"""Ways to label that bench/label_quality.py compares: carob, its estimators one by one, and counts of votes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sets import gold_balance

import carob
from carob._types import Floats, Ints
from carob.votes import Gold, Votes

SMALLEST = 1e-9  # no probability of the true class counts as less in a log loss

CAROB: dict[str, dict[str, Any]] = {
    "carob": {},
    "symmetric": {"method": "triplets", "symmetric": True},
    "by class": {"method": "triplets", "symmetric": False},
    "tensors": {"method": "tensors"},
    "labeled": {"method": "labeled"},
    "combined": {"method": "combined"},
}
NEED_GOLD = ("labeled", "combined")
WORDS = {
    "carob": "LabelModel as it comes",
    "majority": "most votes, ties and silent points by the class balance; log loss of smoothed",
    "smoothed": "votes and one more for every class, weighted by the class balance",
    "symmetric": "carob's triplets, one accuracy per source",
    "by class": "carob's triplets, an accuracy per source and class",
    "tensors": "carob's tensors, a table per source",
    "labeled": "carob from gold alone",
    "combined": "carob from votes and gold",
}


def methods_for(gold: int) -> list[str]:
    """Carob, the counts of votes, and carob's estimators that can do with so much gold."""
    return [name for name in WORDS if gold or name not in NEED_GOLD]


@dataclass(frozen=True)
class Draw:
    """What a method is given, and what it is scored on."""

    votes: Votes
    gold: Gold | None
    scored: Gold
    balance: list[float] | None  # None where nobody is told

    @property
    def shares(self) -> Floats:
        """The class balance as one who counts votes knows it."""
        if self.balance is not None:
            return np.array(self.balance)
        K = len(self.votes.classes)
        return np.full(K, 1 / K) if self.gold is None else np.array(gold_balance(self.gold))


@dataclass(frozen=True)
class Answer:
    """One method on one set: the mean over draws, or why there is none.

    Parameters
    ----------
    status : {"ok", "refused", "failed"}
        A method that refuses one draw refuses the set, so that means compare the same draws.
    """

    status: str
    accuracy: float | None = None
    log_loss: float | None = None
    seconds: float | None = None
    reason: str = ""


class NoAnswerError(Exception):
    """A method gave no labels: its status and the reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def counted(votes: Votes) -> Ints:
    """How many votes each class of each point has, shape (n, K)."""
    return np.stack([(votes.values == k).sum(axis=1) for k in range(len(votes.classes))], axis=1)


def smoothed_vote(draw: Draw) -> Floats:
    """Votes per class and one more for each class, times K and its share, as probabilities."""
    numbers = counted(draw.votes) + len(draw.votes.classes) * draw.shares
    return numbers / numbers.sum(axis=1, keepdims=True)


def majority_class(draw: Draw) -> Ints:
    """The class with most votes, the more frequent one of several; shares are at most 1, so half of one decides."""
    return (counted(draw.votes) + draw.shares / 2).argmax(axis=1)


def carob_labels(name: str, draw: Draw) -> Floats:
    """Probabilities of one of carob's methods."""
    model = carob.LabelModel(class_balance=draw.balance, replicates=0, **CAROB[name])
    votes = replace(draw.votes, gold=None)  # that came with the votes is there to measure by
    try:
        return model.fit(votes, draw.gold).predict_proba(votes)
    except (carob.InputError, carob.NotIdentifiedError) as error:
        raise NoAnswerError("refused", str(error)) from error
    except Exception as error:  # a fault of carob is to be seen, on this set, and the others too
        raise NoAnswerError("failed", f"{type(error).__name__}: {error}") from error


def scores(probabilities: Floats, gold: Gold, classes: Ints | None = None) -> tuple[float, float]:
    """Accuracy and log loss on points with gold; the most probable class where classes are not given."""
    if not np.isfinite(probabilities).all():
        raise NoAnswerError("failed", "probabilities that are no numbers")
    known = gold.known
    p, truth = probabilities[known], gold.values[known]
    guess = p.argmax(axis=1) if classes is None else classes[known]
    loss = -np.log(np.clip(p[np.arange(len(p)), truth], SMALLEST, 1)).mean()
    return float((guess == truth).mean()), float(loss)


def own_score(name: str, draw: Draw) -> tuple[float, float]:
    """Accuracy and log loss of carob or of a count of votes."""
    if name in CAROB:
        return scores(carob_labels(name, draw), draw.scored)
    return scores(smoothed_vote(draw), draw.scored, majority_class(draw) if name == "majority" else None)


def own_answer(name: str, draws: list[Draw]) -> Answer:
    """Mean scores of carob or of a count of votes over draws."""
    start = time.perf_counter()
    try:
        found = [own_score(name, draw) for draw in draws]
    except NoAnswerError as error:
        return Answer(error.status, reason=str(error))
    seconds = (time.perf_counter() - start) / len(draws)
    accuracy, loss = np.mean(found, axis=0)
    return Answer("ok", float(accuracy), float(loss), seconds)
