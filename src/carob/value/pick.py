r"""Which points to label next, and how likely each was to be chosen, so that picked gold biases nothing.

For an honest estimate points are drawn at random. For better labels a point is drawn in proportion to

    EVEN + (1 - EVEN) H / mean(H)

with H the entropy of its probabilities: labels of uncertain points tell more, and no point is left without a chance, so
that weights stay small. All points without a vote get the same label, of which a few gold labels tell all: together
they are drawn no more often than with the chance `SILENT`. The draw is systematic: points stand in a row by predicted
class and certainty, and every n-th of the total chance is taken, from a random start, which spreads labels over all
kinds of points while each is drawn with exactly the chance that it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from carob._types import AnyArray, Floats, Places, Shown
from carob.errors import InputError, one_of, plural
from carob.model.label_model import LabelModel
from carob.posterior.losses import entropy
from carob.posterior.settings import Settings
from carob.votes import Gold, Votes
from carob.votes.messages import Message

Goal = Literal["labels", "estimate"]

EVEN = 0.5  # part of the chance that does not depend on how uncertain a point is
SILENT = 0.25  # chance at the most that a label falls on a point without a vote


@dataclass(frozen=True, eq=False)
class Picked(Shown):
    """Points to label.

    `rows`, shape (n,): which points, in their order. `chances`, shape (n,): the chance that one picked label falls on
    each; hand them on with the labels. `keys`, shape (n,): what the points are called. `n_points`, `n_gold`,
    `n_silent`: all points, those that have gold already, and how many of the picked ones have no vote. `key_name`: the
    column that the keys come from. `messages`: what of the data was dropped, what was guessed, and what to look at
    first.
    """

    rows: Places
    chances: Floats
    keys: AnyArray | None = field(repr=False)
    goal: Goal
    n_points: int
    n_gold: int
    n_silent: int
    key_name: str | None = None
    messages: tuple[Message, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """All of it, by plain names."""
        return {
            "goal": self.goal,
            "n_points": self.n_points,
            "n_gold": self.n_gold,
            "n_picked": len(self),
            "n_silent": self.n_silent,
            "rows": (self.rows + 1).tolist(),
            "keys": None if self.keys is None else self.keys.tolist(),
            "chances": self.chances.tolist(),
            "messages": [vars(message) for message in self.messages],
        }


def pick(
    votes: Any,
    gold: Any = None,
    n: int = 50,
    *,
    goal: Goal = "labels",
    chances: Any = None,
    model: LabelModel | None = None,
) -> Picked:
    """Which points to label next.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`. Points that have gold are not picked again; there may be none.
    n : int
        How many.
    goal : {"labels", "estimate"}
        Better labels: more of the points that are uncertain, in all kinds of points. Or an honest estimate, such as
        that of `carob.rate`: points at random.
    chances : array, shape (n,), optional
        For gold points that were picked before: their chances.
    model : LabelModel, optional
        How to learn.

    Examples
    --------
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> found = carob.pick(votes, n=20)
    >>> truth, chances = np.full(len(votes), -1), np.full(len(votes), np.nan)
    >>> truth[found.rows] = votes.gold.values[found.rows]  # somebody labels them
    >>> chances[found.rows] = found.chances
    >>> found = carob.rate(votes, truth, chances=chances)
    >>> found.overall.n_gold
    20
    """
    model = LabelModel() if model is None else model
    data, truth = model.read(votes, gold, chances)
    return pick_points(data, truth, model.settings(), n, goal)


def pick_points(votes: Votes, gold: Gold | None, settings: Settings, n: int, goal: Goal = "labels") -> Picked:
    """As `pick`, of votes that were read, with settings that were checked."""
    one_of("goal", goal, get_args(Goal))
    known = np.zeros(len(votes), dtype=bool) if gold is None else gold.known
    open_rows = np.flatnonzero(~known)
    check_number(n, len(open_rows))
    aside, settings = settings.set_aside(votes)
    if goal == "estimate":
        share = np.full(len(open_rows), 1 / len(open_rows))
        order = settings.generator().permutation(len(open_rows))
    else:
        learned = LabelModel(**vars(settings)).fit(aside.votes, gold)
        probabilities = learned.predict_proba(aside.votes)[open_rows]
        silent = aside.votes.number[open_rows] == 0
        share = chances_to_learn(probabilities, silent)
        order = in_a_row(probabilities, silent, settings.generator())
    drawn, inclusion = draw(share, n, order, settings.generator())
    rows = open_rows[drawn]
    return Picked(
        rows,
        inclusion[drawn] / n,
        None if votes.keys is None else votes.keys[rows],
        goal,
        len(votes),
        int(known.sum()),
        int((aside.votes.number[rows] == 0).sum()),
        votes.key_name,
        aside.messages,
    )


def check_number(n: int, most: int | None = None) -> None:
    """Refuse to pick no points, or more than there are without gold."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError(f"how many points to pick is a whole number from 1 on, not {n!r} (n=; -n).")
    if most is not None and n > most:
        raise InputError(f"{n:,} points are to be picked, and {plural(most, 'point')} have no gold; ask for fewer.")


def chances_to_learn(probabilities: Floats, silent: AnyArray) -> Floats:
    """The chance of each point that a label falls on it, from its probabilities, shape (n, K), and who has no vote."""
    uncertain = entropy(probabilities)
    mean = uncertain.mean()
    share = EVEN + (1 - EVEN) * uncertain / mean if mean > 0 else np.ones(len(uncertain))
    share /= share.sum()
    of_silent = share[silent].sum()
    if SILENT < of_silent < 1:
        share = np.where(silent, SILENT / of_silent, (1 - SILENT) / (1 - of_silent)) * share
    return np.asarray(share)


def in_a_row(probabilities: Floats, silent: AnyArray, rng: np.random.Generator) -> Places:
    """All points, those without a vote first, then by predicted class and how certain it is; equals at random."""
    order = rng.permutation(len(probabilities))
    keys = (probabilities.max(axis=1), probabilities.argmax(axis=1), ~silent)
    return order[np.lexsort(tuple(key[order] for key in keys))]


def draw(share: Floats, n: int, order: Places, rng: np.random.Generator) -> tuple[Places, Floats]:
    """Draw n points, none twice, and say how probable that is for each point.

    `share`, shape (points,): how the labels should fall on the points; n times that, and 1 at the most, is the
    probability to be drawn. `order`: the points in a row, of which neighbours are not drawn together where that can be.
    """
    inclusion = np.minimum(n * share / share.sum(), 1)
    while abs(inclusion.sum() - n) > 1e-9 * n:  # what is certain to be drawn leaves more to the others
        free = inclusion < 1
        left = n - (~free).sum()
        inclusion[free] = np.minimum(left * share[free] / share[free].sum(), 1)
    ends = np.cumsum(inclusion[order])
    ends *= n / ends[-1]
    drawn = order[np.searchsorted(ends, rng.random() + np.arange(n), side="right")]
    return np.sort(drawn), inclusion
