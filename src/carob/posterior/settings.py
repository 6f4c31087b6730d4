"""What a user chose: one object, checked once, handed on whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from carob._types import Floats, Label
from carob.count.aside import Aside, set_aside
from carob.errors import InputError, a_number, a_whole_number, examples, one_of
from carob.posterior.source_model import check_class_balance
from carob.votes import Votes

Method = Literal["consensus", "triplets", "labeled", "tensors"]
Pairs = Sequence[tuple[str | int, str | int]]
Positions = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Settings:
    """The settings of a fit; what each means stands in `carob.LabelModel`."""

    method: Method = "consensus"
    class_balance: Any = None
    known_pairs: Pairs = ()
    level: float = 0.9
    replicates: int = 200
    rng: np.random.Generator | int | None = 0
    strict: bool = False

    def __post_init__(self) -> None:
        one_of("method", self.method, get_args(Method))
        one_of("strict", self.strict, (True, False))
        if a_whole_number("replicates", self.replicates) < 0:
            raise InputError(f"replicates must be 0 or more, not {self.replicates!r}.")
        if not 0.5 < (1 + a_number("level", self.level)) / 2 < 1:  # as far as numbers of 64 bits can tell
            raise InputError(f"level must be between 0 and 1, not {self.level!r}.")
        self.generator()  # refuses what is no seed

    def generator(self) -> np.random.Generator:
        """Where random numbers come from."""
        return random_generator(self.rng)

    def given_balance(self, classes: Sequence[Label]) -> Floats | None:
        """The class balance that was given, shape (K,)."""
        return None if self.class_balance is None else check_class_balance(self.class_balance, classes)

    def pairs(self, sources: Sequence[str]) -> Positions:
        """The known pairs by position."""
        return pair_positions(self.known_pairs, sources)

    def set_aside(self, votes: Votes) -> tuple[Aside, Settings]:
        """What is set aside of the sources, and these settings for those that are left."""
        if self.strict:
            return Aside(left=votes.sources, votes=votes), self
        aside = set_aside(votes, self.pairs(votes.sources))
        return aside, self.for_sources(votes.sources, aside.left)

    def for_sources(self, sources: Sequence[str], left: Sequence[str]) -> Settings:
        """These settings for those of the sources that are left."""
        if tuple(left) == tuple(sources):
            return self
        pairs = ((sources[i], sources[j]) for i, j in self.pairs(sources))
        return replace(self, known_pairs=tuple(pair for pair in pairs if {*pair} <= {*left}))


def random_generator(rng: Any) -> np.random.Generator:
    """A generator itself, or one that is made from a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"rng must be a numpy Generator or a whole number of 0 or more, not {rng!r}.") from None


def pair_positions(pairs: Pairs, sources: Sequence[str]) -> Positions:
    """Pairs of names or positions as pairs of positions."""

    def position(name: str | int) -> int:
        if isinstance(name, int | np.integer) and 0 <= name < len(sources):
            return int(name)
        if isinstance(name, str) and name in sources:
            return sources.index(name)
        raise InputError(f"known_pairs names {examples([name])}; the sources are {examples(sources)}.")

    result = []
    if isinstance(pairs, str | dict) or not isinstance(pairs, Iterable):
        raise InputError(f"known_pairs holds pairs of sources; {examples([pairs])} is no sequence of them.")
    for pair in pairs:
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise InputError(f"known_pairs holds pairs of sources, not {examples([pair])}.")
        i, j = position(pair[0]), position(pair[1])
        if i == j:
            raise InputError(f"known_pairs pairs {pair[0]!r} with itself.")
        result.append((i, j))
    return tuple(result)
