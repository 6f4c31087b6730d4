"""Models that versions 0.1 and 0.2 wrote, when carob was called karat: what they need to label as they did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from carob._types import Floats, Group, Places
from carob.errors import InputError
from carob.label.training import sums_of
from carob.model.values import groups, numbers, weights
from carob.posterior.fit import Fit
from carob.posterior.naive_bayes import softmax
from carob.posterior.source_model import SourceModel
from carob.votes import Votes

_PSEUDO_VOTES = 2.0  # added to the votes on a point, by the class balance
_LARGEST_EXPONENT = 100.0  # of 2
_LARGEST_REPETITION = 100.0  # the votes on a point would count as a hundredth of one


@dataclass(frozen=True, eq=False, kw_only=True)
class RecalibratedFit(Fit):
    """A fit of votes and gold as versions 0.1 and 0.2 made it: naive Bayes, scaled as gold showed."""

    NAME: ClassVar = "recalibration"
    _PARTS: ClassVar = ("weight", "slope", "exponent", "count", "shift", "once")
    # weight, slope, exponent, count: shape (G,): share of each scaling in a mixture; a, g and c of ``log P(y) + a
    # (2 / (v + 1))^g L_y + c 2 n_y / (v + 2) + b_y`` with v votes on the point, n_y of them for class y, and L
    # the log-likelihoods of naive Bayes
    weight: Floats
    slope: Floats
    exponent: Floats
    count: Floats
    shift: Floats  # shape (G, K): b
    once: tuple[Group, ...]  # groups of sources whose votes for a class count as one

    def content(self) -> dict[str, Any]:
        """What a model file holds of it."""
        return {self.NAME: {name: getattr(self, name) for name in self._PARTS}}

    @classmethod
    def checked(cls, content: dict[str, Any], model: SourceModel) -> dict[str, Any]:
        """Its own fields from what a model file holds."""
        weight = weights(content["weight"])
        G = len(weight)
        found = {name: numbers(content[name], (G,)) for name in ("slope", "exponent", "count")}
        if not ((found["exponent"] >= 0) & (found["exponent"] <= _LARGEST_EXPONENT)).all():
            raise InputError("its recalibration has powers that are too large")
        shift = numbers(content["shift"], (G, len(model.classes)))
        return {"weight": weight, **found, "shift": shift, "once": groups(content.get("once", ()), len(model.sources))}

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        balance = self.model.class_balance
        prior = np.log(balance)
        evidence = np.log(np.maximum(super().posterior(votes), 1e-300)) - prior
        evidence -= evidence.mean(axis=1, keepdims=True)
        tally = votes.leanings(once=self.once)
        number = tally.sum(axis=1)
        tally = 2 * tally / (number + 2)[:, None]
        result = np.zeros_like(evidence)
        for w, a, g, c, b in zip(self.weight, self.slope, self.exponent, self.count, self.shift, strict=True):
            result += w * softmax(prior + b + c * tally + (a * (2 / (number + 1)) ** g)[:, None] * evidence)
        return np.where((number == 0)[:, None], balance, result)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What every output of every source says about the class."""

    log_odds: Floats  # shape (m, V, K)
    groups: tuple[Group, ...]  # sources whose votes on a point count as one vote, their mean
    silence: Floats | None = None  # shape (m, K): the same of saying nothing; None where that says nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class PoolFit(Fit):
    """A default fit of version 0.2: a mixture of R ways to weigh the votes.

    With S what the evidence says of a point with v votes, and M a smoothed majority vote, one of them is
    ``log P(y) + a S_y / (1 + (v - 1) r) + c log (M_y / P(y)) + b_y``.
    """

    NAME: ClassVar = "pool"
    _PARTS: ClassVar = ("class_balance", "silent", "weight", "slope", "repetition", "count", "shift", "learned")
    class_balance: Floats  # shape (K,)
    silent: Floats  # shape (K,): probabilities of the classes where nobody votes
    evidence: tuple[Evidence, ...]
    # weight, slope, repetition, count: shape (R,): share of each way in the mixture; a, r and c
    weight: Floats
    slope: Floats
    repetition: Floats
    count: Floats
    shift: Floats  # shape (R, K): b
    learned: Places  # shape (R,): which of `evidence` each takes

    def content(self) -> dict[str, Any]:
        """What a model file holds of it."""
        parts = {name: getattr(self, name) for name in self._PARTS}
        parts["evidence"] = [one.log_odds for one in self.evidence]
        parts["silence"] = [one.silence for one in self.evidence]
        return {self.NAME: parts | {"groups": self.evidence[0].groups}}

    @classmethod
    def checked(cls, content: dict[str, Any], model: SourceModel) -> dict[str, Any]:
        """Its own fields from what a model file holds."""
        m, V, K = len(model.sources), max(model.sizes) - 1, len(model.classes)
        of_groups, log_odds = groups(content["groups"], m, True), content["evidence"]
        silence = content.get("silence", [None] * len(log_odds))
        if len(silence) != len(log_odds):
            raise InputError("its readings say of more or less evidence than there is what silence means")
        evidence = tuple(
            Evidence(numbers(said, (m, V, K)), of_groups, None if silent is None else numbers(silent, (m, K)))
            for said, silent in zip(log_odds, silence, strict=True)
        )
        weight, learned = weights(content["weight"]), np.array(content["learned"])
        R = len(weight)
        if learned.shape != (R,) or learned.dtype.kind != "i" or not ((learned >= 0) & (learned < len(evidence))).all():
            raise InputError("its readings name evidence that it does not have")
        found = {name: numbers(content[name], (R,)) for name in ("slope", "repetition", "count")}
        if not ((found["repetition"] >= 0) & (found["repetition"] <= _LARGEST_REPETITION)).all():
            raise InputError("its readings have correlations that are none")
        shares = {name: weights(content[name]) for name in ("class_balance", "silent")}
        if any(len(share) != K for share in shares.values()) or not (shares["class_balance"] > 0).all():
            raise InputError("its readings do not fit its sources and classes")
        shift = numbers(content["shift"], (R, K))
        return {**shares, "evidence": evidence, "weight": weight, **found, "shift": shift, "learned": learned}

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        once = [group for group in self.evidence[0].groups if len(group) > 1]
        tally = votes.leanings(once=once)
        number = tally.sum(axis=1)
        prior = np.log(self.class_balance)
        majority = tally + _PSEUDO_VOTES * self.class_balance
        counted = np.log(majority / majority.sum(axis=1, keepdims=True)) - prior
        sums = [sums_of(votes, one.groups, one.log_odds, one.silence) for one in self.evidence]
        ways = zip(self.weight, self.slope, self.repetition, self.count, self.shift, self.learned, strict=True)
        result = np.zeros((len(votes), len(prior)))
        for weight, slope, repetition, count, shift, learned in ways:
            worth = slope / (1 + np.maximum(number - 1, 0) * repetition)
            result += weight * softmax(prior + shift + count * counted + worth[:, None] * sums[learned])
        result /= result.sum(axis=1, keepdims=True)
        result[number == 0] = self.silent
        return result
