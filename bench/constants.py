"""What half and double of every tuned constant would give, measured on real and simulated votes.

python bench/constants.py DIR [--out docs/constants.md] [--only NAME] [--jobs 2]

DIR holds Parquet files with a column `gold` (class index, -1 unknown), perhaps `split`, and a column per source (class
index, -1 no vote). A constant is named by module and attribute; its line in the source says what it is.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from carob.paper.with_gold import add_gold
from pick import measure as pick_draw
from rate import measure as rate_draw
from sets import files_of, gold_balance, read_set, some_gold
from simulated_scores import KINDS, in_full, log_loss, simulated_scores
from source_intervals import Case, judge, real_cases

import carob
from carob.errors import InputError, NotIdentifiedError
from carob.paper.count import Counted, count
from carob.paper.datasets import load_imdb, paper_model
from carob.paper.votes_fit import fit_votes
from carob.posterior.losses import score
from carob.posterior.settings import Settings
from carob.value.advice import DataValue
from carob.votes import Gold, GoldPoints, Votes

GOLD = (25, 100)  # labels that the labels' quality is measured with
DRAWS = 2
VALUE_GOLD = 100
FEW_SOURCES = 10  # of sets that picks and rates are measured on, which take many fits


@dataclass(frozen=True)
class Constant:
    """A tuned constant, how it is measured, and what to put in its place where half and double make no sense."""

    place: str  # module, a colon, and the attribute
    measure: str
    variants: tuple[Any, ...] | None = None  # fewer and more of a grid

    @property
    def parts(self) -> tuple[Any, str, str | None]:
        """Module, attribute, and field where the attribute is a dataclass."""
        module, name = self.place.split(":")
        first, _, inner = name.partition(".")
        return importlib.import_module(f"carob.{module}"), first, inner or None

    @property
    def value(self) -> Any:
        """As it stands."""
        module, name, inner = self.parts
        found = getattr(module, name)
        return found if inner is None else getattr(found, inner)

    @property
    def words(self) -> str:
        """What its line in the source says."""
        module, name, inner = self.parts
        source = inspect.getsource(module)
        if inner is None:
            found = re.search(rf"^{name}\b.*?#\s*(.*)$", source, re.MULTILINE) or re.search(
                rf"^#\s*(.*)\.\n{name}\b", source, re.MULTILINE
            )
        elif inspect.isclass(getattr(module, name)):
            found = re.search(rf"^    {inner} = .*?#\s*(.*)$", source, re.MULTILINE)
        else:
            found = re.search(rf"^    {inner} : float\n\s+(.*?)(?:;.*)?$", source, re.MULTILINE)
        return found.group(1).strip() if found else ""

    def times(self, factor: float) -> Any:
        """Half, the same, or double."""
        if factor == 1:
            return self.value
        if self.variants is not None:
            return self.variants[factor > 1]
        if isinstance(self.value, int):
            return max(1, round(self.value * factor))
        return self.value * factor

    def set(self, value: Any) -> None:
        """Put another value in its place, wherever it was imported to."""
        module, name, inner = self.parts
        if inner is not None:
            target = getattr(module, name)
            if inspect.isclass(target):
                setattr(target, inner, value)
            else:
                object.__setattr__(target, inner, value)
            return
        before = getattr(module, name)
        for other in [found for key, found in sys.modules.items() if key.startswith("carob.")]:
            if getattr(other, name, None) is before:
                setattr(other, name, value)


SLOPES = tuple(np.exp(np.linspace(-4.5, 0.2, number)) for number in (12, 48))
UNLABELED = (
    {0.1: 0.9, 0.0: 0.1},
    {1.0: 0.1, 0.3: 0.1, 0.1: 0.45, 0.03: 0.1, 0.01: 0.1, 0.003: 0.1, 0.0: 0.05},
)
LABELED_SIZES = tuple(
    (*(round(5 * 2 ** (k * step)) for k in range(number)), 20_000, 80_000, 320_000, 1_000_000)
    for step, number in ((1, 11), (0.25, 44))
)
CONSTANTS = (
    Constant("label.consensus:STEPS", "votes"),
    Constant("label.consensus:SOURCE_WORTH", "votes"),
    Constant("label.consensus:VOTE_WORTH", "votes"),
    Constant("label.consensus:PSEUDO_VOTES", "votes"),
    Constant("label.consensus:BALANCE_STEP", "votes"),
    Constant("label.consensus:EVEN", "votes"),
    Constant("count.sampling:MOST_VOTES", "votes"),
    Constant("count.sampling:MOST_EACH", "votes"),
    Constant("label.near_copies:CLOSE", "votes"),
    Constant("label.near_copies:SURE", "votes"),
    Constant("label.near_copies:ONE_SIDED", "votes", (0.9, 0.975)),
    Constant("label.near_copies:COMMON", "votes"),
    Constant("label.near_copies:ALONE", "votes"),
    Constant("label.near_copies:SPREAD", "votes"),
    Constant("label.near_copies:MOST_SOURCES", "votes"),
    Constant("label.pool:IN_FULL", "votes"),
    Constant("label.pool:REPEATING", "votes"),
    Constant("label.pool:REPETITION", "votes"),
    Constant("label.pool:PAIRS_IN_DOUBT", "alone"),
    Constant("label.independence:CHANCE", "alone", (0.8, 1.6)),
    Constant("label.independence:ERRORS", "alone", (0.0, 4.0)),
    Constant("label.independence:FEWEST_SOURCES", "alone", (3, 6)),
    Constant("label.independence:MOST_SOURCES", "alone"),
    Constant("label.independence:COMMON", "alone"),
    Constant("label.consensus:SCORE_STEPS", "scores"),
    Constant("posterior.score_shares:WIDTH", "scores"),
    Constant("posterior.score_shares:BIN_WORTH", "scores"),
    Constant("posterior.score_shares:LEANING_WORTH", "scores"),
    Constant("votes.scales:MOST_BINS", "scores"),
    Constant("label.stack:UNLABELED", "default", UNLABELED),
    Constant("label.stack:COUNTED", "default"),
    Constant("label.stack:DOUBT", "default", (1.0, 2.0)),
    Constant("label.gold_evidence:WORTH", "default"),
    Constant("label.stack:SLOPES", "default", ((0.35, 1.0), (0.35, 0.45, 0.6, 0.8, 1.0, 1.2, 1.4))),
    Constant("label.stack:REPETITIONS", "default", ((0.0, 0.4, 3.0), (0.0, 0.07, 0.15, 0.25, 0.4, 0.6, 1.0, 2.0, 3.0))),
    Constant("label.stack:OWN_SLOPES", "default", ({1.0: 0.3}, {0.25: 0.1, 0.5: 0.1, 1.0: 0.1, 2.0: 0.1, 4.0: 0.1})),
    Constant("label.stack:OWN_SLOPES_OF", "default", (1.0, 0.01)),
    Constant("label.stack:MOST_SLOPES", "default", (0, 600)),
    Constant("label.stack:COUNT_ERROR", "default"),
    Constant("label.stack:SHIFT_ERROR", "default"),
    Constant("label.stack:WITHOUT_GOLD", "default"),
    Constant("label.stack:CAUTION", "default"),
    Constant("label.stack:FOLDS", "default"),
    Constant("label.stack:FOLD_VOTES", "default"),
    Constant("label.stack:SILENT_WORTH", "default"),
    Constant("label.stack:KEPT", "default"),
    Constant("label.stack:MOST_GOLD", "default_all_gold"),
    Constant("label.agreed:POINT_WORTH", "default"),
    Constant("label.agreed:BALANCE_WORTH", "default"),
    Constant("label.agreed:BALANCE_SURE", "told"),
    Constant("label.agreed:SURE", "told"),
    Constant("label.source_accuracy:SHIFT_ERROR", "accuracies"),
    Constant("label.source_accuracy:SCALE_ERROR", "accuracies"),
    Constant("label.source_accuracy:OWN_ERROR", "accuracies"),
    Constant("label.source_accuracy:UNTOLD_LEVEL", "accuracies"),
    Constant("label.source_accuracy:UNTOLD_SLOPE", "accuracies"),
    Constant("label.source_accuracy:UNTOLD_ERROR", "accuracies"),
    Constant("label.source_accuracy:USUAL_WORTH", "accuracies"),
    Constant("label.source_accuracy:FEWEST_TELLING", "accuracies", (2, 6)),
    Constant("label.cross_validation:FEWEST", "told"),
    Constant("model.fit:FEW_VOTES", "told"),
    Constant("model.fit:IN_DOUBT", "told"),
    Constant("model.fit:ENOUGH_GOLD", "few"),
    Constant("paper.balance:VOTES_WORTH", "balance"),
    Constant("paper.third_moments:TRIPLES", "balance"),
    Constant("paper.third_moments:STRONGEST", "balance"),
    Constant("paper.check:COPY", "copies"),
    Constant("paper.signs:SURE", "signs"),
    Constant("paper.signs:CAMPS", "signs"),
    Constant("paper.views:CLEAR", "tensors"),
    Constant("paper.views:TOLD", "tensors"),
    Constant("paper.views:FEWEST", "tensors"),
    Constant("paper.views:TRIPLES", "tensors"),
    Constant("paper.views:SPLITS", "tensors"),
    Constant("paper.views:ROUNDS", "tensors"),
    Constant("paper.confusion:LEFT_OVER", "tensors"),
    Constant("paper.tensor_fit:PRIOR_COUNTS", "tensors_gold", ((3.0, 30.0, 300.0), tuple(3.0 ** np.arange(0, 7, 0.5)))),
    Constant("paper.topic_fit:STEPS", "topics"),
    Constant("paper.topic_fit:MORE", "topics"),
    Constant("paper.topic_fit:PSEUDO_WORDS", "topics"),
    Constant("count.statistics:BLOCKS", "intervals"),
    Constant("paper.intervals:FEWEST", "many"),
    Constant("paper.accuracy_blend:MULTIPLE", "labels"),
    Constant("paper.accuracy_blend:SMALLEST", "labels"),
    Constant("paper.accuracy_blend:WORTH", "labels"),
    Constant("paper.kinds.symmetric:Symmetric.largest", "labels", (0.96, 0.99)),
    Constant("paper.with_gold:FOLDS", "labels"),
    Constant("paper.with_gold:SHIFT", "labels"),
    Constant("paper.with_gold:SHIFT_BALANCE_GIVEN", "labels"),
    Constant("paper.with_gold:VARIANCE", "labels"),
    Constant("paper.with_gold:COUNT", "labels"),
    Constant("paper.with_gold:LOG_SLOPE", "labels"),
    Constant("paper.recalibrate:SLOPES", "labels", SLOPES),
    Constant("paper.recalibrate:EXPONENTS", "labels", ((0.0, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0))),
    Constant("paper.recalibrate:LOG_SLOPE_ERROR", "labels"),
    Constant("paper.recalibrate:EXPONENT", "labels"),
    Constant("paper.recalibrate:EXPONENT_ERROR", "labels"),
    Constant("paper.recalibrate:KEPT", "labels"),
    Constant("paper.recalibrate:ENOUGH", "labels"),
    Constant("paper.recalibrate:MOST", "all_gold"),
    Constant("value.risks:FOLDS", "value"),
    Constant("value.risks:VIEW_CAUTION", "value"),
    Constant("value.risks:FEW_WRONG", "value"),
    Constant("value.risks:FEWEST_FREE", "value", (2, 6)),
    Constant("value.risks:MOST_POINTS", "value"),
    Constant("value.gold_alone:LARGEST_PART", "value", (0.5, 0.9)),
    Constant("value.gold_alone:SAMPLES", "value"),
    Constant("value.equivalent:FARTHEST", "value", (1.0, 4.0)),
    Constant("value.gold_alone:LAST", "value"),
    Constant("value.gold_alone:PARTS", "value"),
    Constant("value.equivalent:LEARNED_FROM", "value"),
    Constant("value.gains:LABELS.level", "value"),
    Constant("value.gains:LABELS.power", "value"),
    Constant("value.gains:LABELS.below", "value"),
    Constant("value.gains:LABELS.above", "value"),
    Constant("value.gains:LABELS_BORNE_OUT.level", "own_gains"),
    Constant("value.gains:LABELS_BORNE_OUT.power", "own_gains"),
    Constant("value.gains:LABELS_BORNE_OUT.below", "own_gains"),
    Constant("value.gains:LABELS_BORNE_OUT.above", "own_gains"),
    Constant("label.independence:SURPRISED", "own_gains"),
    Constant("value.gains:POINTS.level", "value"),
    Constant("value.gains:POINTS.power", "value"),
    Constant("value.gains:POINTS.below", "value"),
    Constant("value.gains:POINTS.above", "value"),
    Constant("value.gains:RIGHT", "value"),
    Constant("value.gains:RIGHT_ERROR", "value"),
    Constant("value.gains:LEAST", "value"),
    Constant("value.changes:MOST_PAIRS", "fixes"),
    Constant("value.changes:SURE", "fixes"),
    Constant("value.pick:EVEN", "picks"),
    Constant("value.pick:SILENT", "picks"),
    Constant("value.rate:UNHELPED", "rates"),
    Constant("value.rate:SPLITS", "rates"),
    Constant("value.decision:WORTHWHILE", "verdict"),
    Constant("value.decision:SURE_ENOUGH", "verdict", (0.3, 0.8)),
)


@cache
def vote_sets(folder: str) -> dict[str, Votes]:
    """Real votes; sources that never vote, never vary or copy another are left out."""
    found = {}
    for file in files_of(folder):
        votes = read_set(file)
        distinct = np.unique(votes.values, axis=1, return_index=True)[1]
        varied = [i for i in np.sort(distinct) if len(np.unique(votes.values[:, i])) > 1]
        measured = replace(votes.own_gold, reference=True)  # to measure by, not to learn from
        found[file.stem] = replace(votes.select(votes.sources[i] for i in varied), gold=measured)
    return found


@cache
def counted_set(folder: str, name: str, given: bool) -> Counted:
    """Counts do not depend on the constants that labels are measured with."""
    votes = vote_sets(folder)[name]
    return count(votes, Settings(class_balance=gold_balance(votes.own_gold) if given else None))


def label_losses(folder: str, sizes: Sequence[int], draws: int) -> tuple[float, float]:
    """Mean log loss and accuracy of the combination over sets, draws and numbers of gold labels."""
    losses, accuracies = [], []
    for name, votes in vote_sets(folder).items():
        for n in sizes:
            for seed in range(draws):
                gold, rest = some_gold(votes, n, seed)
                points = GoldPoints.of(votes, gold)
                for given in (True, False):
                    settings = Settings(class_balance=gold_balance(votes.own_gold) if given else None)
                    try:
                        fitted = fit_votes(counted_set(folder, name, given), points, settings, partial=True)
                        found = score(add_gold(fitted, points, 0).posterior(votes), rest)
                    except (InputError, NotIdentifiedError):
                        continue  # the same sets for every value of a constant
                    losses.append(found.loss)
                    accuracies.append(found.accuracy)
    return float(np.mean(losses)), float(np.mean(accuracies))


def labels(folder: str) -> str:
    """Labels of the combination of triplets and gold, with 25 and 100 gold labels."""
    loss, accuracy = label_losses(folder, GOLD, DRAWS)
    return f"loss {loss:.4f}, accuracy {accuracy:.4f}"


def votes(folder: str) -> str:
    """Labels of the default fit without gold, and how many pairs are taken for near copies."""
    losses, accuracies, pairs = [], [], 0
    for table in vote_sets(folder).values():
        model = carob.LabelModel().fit(table)
        found = score(model.predict_proba(table), table.own_gold)
        losses.append(found.loss)
        accuracies.append(found.accuracy)
        pairs += 0 if model.fit_.origin is None else len(model.fit_.origin.copies)
    return f"loss {np.mean(losses):.4f}, accuracy {np.mean(accuracies):.4f}, {pairs} pairs"


def default(folder: str) -> str:
    """Labels of the default fit with 25 and 100 gold labels."""
    losses, accuracies = [], []
    for table in vote_sets(folder).values():
        for n in GOLD:
            gold, rest = some_gold(table, n, 0)
            found = score(carob.LabelModel().fit(table, gold).predict_proba(table), rest)
            losses.append(found.loss)
            accuracies.append(found.accuracy)
    return f"loss {np.mean(losses):.4f}, accuracy {np.mean(accuracies):.4f}"


def default_all_gold(folder: str) -> str:
    """Labels of the default fit with 20,000 gold labels of the IMDB votes, and the time of learning from them."""
    table = load_imdb()
    gold, rest = some_gold(table, 20_000, 0)
    start = time.perf_counter()
    model = carob.LabelModel(class_balance=0.5).fit(table, gold)
    seconds = time.perf_counter() - start
    return f"loss {score(model.predict_proba(table), rest).loss:.4f}, {seconds:.1f} s"


@cache
def _fitted_once(folder: str) -> tuple[tuple[int, Case], ...]:
    """What votes show of the sources, which the constants of their accuracies do not change."""
    return tuple(real_cases(Path(folder), 1, (0, 50)))


def accuracies(folder: str) -> str:
    """Coverage of the 90 % intervals of accuracies of the default fit, by hidden gold, and their score (Winkler's)."""
    found = {n: judge([case for number, case in _fitted_once(folder) if number == n], lambda _: {}) for n in (0, 50)}
    return "; ".join(
        f"{n} gold: covers {one['covers']:.3f}, width {one['width']:.3f}, score {one['score']:.3f}"
        for n, one in found.items()
    )


def told(folder: str) -> str:
    """What the default fit says of real sets with 10 gold labels or none."""
    doubt = few_votes = worse = right = scored = held = classes = 0
    for table in vote_sets(folder).values():
        model = carob.LabelModel().fit(table)
        origin, shares = model.fit_.origin, np.array(gold_balance(table.own_gold))
        if origin is not None:
            doubt, few_votes = doubt + origin.in_doubt, few_votes + len(origin.by_prior)
            worse += len(origin.worse)
            right += sum(_below_chance(table, name, shares) for name in origin.worse)
        held += int(((model.class_balance_low_ <= shares) & (shares <= model.class_balance_high_)).sum())
        classes += len(shares)
        scored += bool(carob.LabelModel().fit(table, some_gold(table, 10, 0)[0]).fit_.scores)
    return (
        f"{doubt} in doubt, {few_votes} sources with few votes, {worse} worse than chance ({right} of them are), "
        f"{scored} with scores, {held} of {classes} class shares in their intervals"
    )


def _below_chance(table: Votes, name: str, shares: Any) -> bool:
    """Whether a source is worse on gold than random votes."""
    votes, gold = table.values[:, table.sources.index(name)], table.own_gold
    judged = (votes >= 0) & gold.known
    return bool((votes == gold.values)[judged].mean() < shares[votes[judged]].mean()) if judged.any() else False


def few(folder: str) -> str:
    """Labels with 5, 10 and 15 gold labels, where something is asked for that only triplets have."""
    losses = []
    for votes in vote_sets(folder).values():
        for n in (5, 10, 15):
            gold, rest = some_gold(votes, n, 0)
            try:
                given = gold_balance(votes.own_gold)
                model = carob.LabelModel("median", class_balance=given, replicates=0).fit(votes, gold)
            except (InputError, NotIdentifiedError):
                continue
            losses.append(score(model.predict_proba(votes), rest).loss)
    return f"loss {np.mean(losses):.4f}"


def all_gold(folder: str) -> str:
    """Labels of that combination with 20,000 gold labels of the IMDB votes, and the time of learning from them."""
    votes = load_imdb()
    gold, rest = some_gold(votes, 20_000, 0)
    settings = Settings(class_balance=0.5)
    fitted = fit_votes(count(votes, settings), None, settings)
    start = time.perf_counter()
    model = add_gold(fitted, GoldPoints.of(votes, gold), 0)
    seconds = time.perf_counter() - start
    return f"loss {score(model.posterior(votes), rest).loss:.4f}, {seconds:.1f} s"


def balance(folder: str) -> str:
    """Distance of the estimated class balance from that of all gold, without gold and with 25 labels."""
    gaps: dict[int, list[float]] = {0: [], 25: []}
    for votes in vote_sets(folder).values():
        truth = np.array(gold_balance(votes.own_gold))
        for n, found in gaps.items():
            gold = some_gold(votes, n, 0)[0] if n else None
            try:
                model = carob.LabelModel(method="triplets", replicates=0).fit(votes, gold)
            except (InputError, NotIdentifiedError):
                continue
            found.append(float(np.abs(model.class_balance_ - truth).max()))
    return ", ".join(f"{n} gold: {np.mean(found):.4f} ({len(found)} sets)" for n, found in gaps.items())


def copies(folder: str) -> str:
    """How many pairs of sources are taken for copies, in real sets as they come."""
    from carob.paper.check import _copies

    number = 0
    for file in files_of(folder):
        votes = read_set(file)
        number += len(_copies(carob.Moments.of(votes)))
    return f"{number} pairs"


def signs(folder: str) -> str:
    """Sets of weak and turned sources whose signs are found, and found right."""
    right = wrong = refused = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = np.concatenate([rng.uniform(0.55, 0.75, 6), rng.uniform(0.25, 0.45, rng.integers(0, 5))])
        votes = carob.paper.Ising.from_means(p).sample(600, rng)
        try:
            found = carob.paper.triplets(carob.Moments.of(votes), symmetric=True, signs="data").accuracy
        except NotIdentifiedError:
            refused += 1
            continue
        good = ((found > 0.5) == (p > 0.5)).all()
        right, wrong = right + good, wrong + (not good)
    return f"right {right}, wrong {wrong}, refused {refused} of 60"


def coverage(p: Any, n: int, seeds: int, replicates: int = 100, **options: Any) -> str:
    """Coverage and width of 90 % intervals of simulated sources."""
    covered, widths = [], []
    for seed in range(seeds):
        votes = carob.paper.Ising.from_means(p).sample(n, seed)
        model = carob.LabelModel(method="triplets", class_balance=0.5, symmetric=True, replicates=replicates, **options)
        table = model.fit(votes).source_table_
        covered.append(((table.low <= p) & (p <= table.high)).mean())
        widths.append((table.high - table.low).mean())
    return f"covers {np.mean(covered):.3f} (se {np.std(covered) / np.sqrt(seeds):.3f}), width {np.mean(widths):.4f}"


def intervals(folder: str) -> str:
    """Coverage of intervals of ten sources on 1,000 points."""
    return coverage(np.array(carob.paper.datasets.PAPER_ACCURACIES) + 0.05, 1_000, 60)


def many(folder: str) -> str:
    """The same of 60 sources, whose intervals have as few replicates as there may be."""
    from carob.paper import intervals as module

    module.SECONDS = 0.0
    return coverage(np.random.default_rng(0).uniform(0.55, 0.8, 60), 2_000, 10)


def value_calls(folder: str) -> Iterator[tuple[Votes, Gold, Gold, Any]]:
    """Votes, some gold, the rest of it, and the class balance where it is given."""
    votes = paper_model(5).sample(1_000, 0)
    yield votes, *some_gold(votes, VALUE_GOLD, 0), 0.5
    for votes in vote_sets(folder).values():
        if len(votes.sources) <= 10 and len(votes) <= 2_000 and votes.own_gold.known.sum() >= 2 * VALUE_GOLD:
            yield votes, *some_gold(votes, VALUE_GOLD, 0), gold_balance(votes.own_gold)


def value(folder: str) -> str:
    """How far told risks are from those on hidden gold, how often intervals hold them, and what else is told."""
    gaps, held, widths, gains, labels = [], [], [], [], []
    for votes, gold, rest, given in value_calls(folder):
        found = carob.data_value(votes, gold, class_balance=given)
        if not isinstance(found, DataValue):
            continue
        gains.append([*(found.gains[name].value for name in found.gains), found.accuracy_gains["labels"].value])
        f = found.equivalent_labels
        labels.append(np.log(min(f.high, 1e4) / f.low))
        for name, learned_from in (("unlabeled", None), ("combined", gold)):
            model = carob.LabelModel(class_balance=given).fit(votes, learned_from)
            real, told = score(model.predict_proba(votes), rest).loss, found.risk[name]
            gaps.append(abs(told.value - real))
            held.append(told.low <= real <= told.high)
            widths.append(told.high - told.low)
    by_labels, by_points, right = 1e4 * np.mean(gains, axis=0)
    return (
        f"gap {np.mean(gaps):.4f}, holds {np.mean(held):.2f}, width {np.mean(widths):.3f}; gains in 1e-4: labels "
        f"{by_labels:.1f} ({right:.1f} right), points {by_points:.2f}; log of f from end to end {np.mean(labels):.2f}"
    )


def fixes(folder: str) -> str:
    """What triplets would gain by taking sources as one or dropping them, and how many of these are fixes."""
    gains, sure = [], 0
    for votes, gold, _, given in value_calls(folder):
        try:
            found = carob.data_value(votes, gold, class_balance=given, aggregate="median")
        except (InputError, NotIdentifiedError):
            continue
        changes = found.changes if isinstance(found, DataValue) else ()
        gains += [change.gain.value for change in changes]
        sure += sum(change.gain.low > 0 for change in changes)
    return f"{len(gains)} tried, {sure} sure, gain {np.mean(gains) if gains else 0:.4f}"


def verdict(folder: str) -> str:
    """What is advised on simulated and real sets with 100 gold labels."""
    kinds: dict[str, int] = {}
    for votes, gold, _, given in value_calls(folder):
        try:
            kind = carob.data_value(votes, gold, class_balance=given).kind
        except (InputError, NotIdentifiedError):
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
    return ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))


def own_and_hint() -> Iterator[tuple[str, Votes]]:
    """Votes with gold of sources on their own, and of sources that all follow one hint."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n, m = ((1_000, 5), (3_000, 10))[seed % 2]
        truth = rng.integers(0, 2, n)
        hint = np.where(rng.random(n) < 0.75, truth, 1 - truth)
        for kind, said in (("on their own", truth), ("one hint", hint)):
            right = rng.random((n, m)) < rng.uniform(0.55, 0.9, m)
            table = Votes.from_array(np.where(right, said[:, None], 1 - said[:, None]).astype(np.int8), classes=[0, 1])
            yield kind, replace(table, gold=Gold(truth.astype(np.int8), table.classes))


def alone(folder: str) -> str:
    """Labels of the default fit without gold: sources on their own, all of them following one hint, and real ones."""
    losses: dict[str, list[float]] = {}
    for kind, table in own_and_hint():
        found = score(carob.LabelModel().fit(table).predict_proba(table), table.own_gold).loss
        losses.setdefault(kind, []).append(found)
    means = ", ".join(f"{kind} {np.mean(found):.4f}" for kind, found in losses.items())
    return f"{means}, real sets: {votes(folder)}"


def own_gains(folder: str) -> str:
    """What 50 labels bring where sources work on their own, or all follow one hint, in 1e-4 of log loss: said, true."""
    said: dict[str, list[float]] = {}
    true: dict[str, list[float]] = {}
    for kind, table in own_and_hint():
        for draw in range(3):
            gold, _ = some_gold(table, VALUE_GOLD, draw)
            more, rest = some_gold(table, VALUE_GOLD + 50, draw)
            told = carob.data_value(table, gold)
            before, after = (
                score(carob.LabelModel().fit(table, some).predict_proba(table), rest) for some in (gold, more)
            )
            if isinstance(told, DataValue):
                said.setdefault(kind, []).append(1e4 * told.gains["labels"].value)
                true.setdefault(kind, []).append(1e4 * (before.loss - after.loss))
    return ", ".join(f"{kind} {np.mean(said[kind]):.1f} and {np.mean(true[kind]):.1f}" for kind in said)


def scores(folder: str) -> str:
    """Labels from simulated scores, all in full: log loss over that of one who knows how judges score."""
    ratios = []
    for kind in KINDS:
        for m, share in ((3, 0.5), (6, 0.2)):
            numbers, truth, best = simulated_scores(kind, 5_000, m, share, 0)
            found = in_full(Votes.from_array(numbers, kinds="score"), share)[0]
            ratios.append(log_loss(found, truth) / log_loss(best, truth))
    return f"{np.mean(ratios):.4f} on average, {np.max(ratios):.4f} at most"


def tensors(folder: str) -> str:
    """Tables from triples of views of simulated sources, in units of their noise if classes were known; real labels."""
    ratios = []
    for seed, (K, m, n) in enumerate(
        ((3, 12, 1_000), (3, 12, 20_000), (5, 12, 2_000), (10, 30, 2_000), (10, 12, 20_000))
    ):
        rng = np.random.default_rng(seed)
        right = np.eye(K) * rng.uniform(0.3, 0.7, (m, K, 1)) * 0.8
        tables = np.concatenate([np.full((m, K, 1), 0.2), right], axis=2)
        tables[:, :, 1:] += (1 - tables.sum(axis=2, keepdims=True)) * rng.dirichlet(np.full(K, 3.0), (m, K))
        truth = rng.integers(0, K, n)
        said = (rng.random((n, m, 1)) > np.cumsum(tables, axis=2)[:, truth].swapaxes(0, 1)).sum(axis=2) - 1
        found = carob.paper.tensors(Votes.from_array(said, classes=list(range(K)), abstain=-1)).conditionals
        ratios.append(((found - tables) ** 2).sum() / (tables * (1 - tables)).sum() * n / K)
    losses, accuracies, taken = _tensor_labels(folder, 0)
    return (
        f"variance {np.mean(ratios):.3f}; {taken} real sets, loss {np.mean(losses):.3f}, "
        f"accuracy {np.mean(accuracies):.3f}"
    )


def tensors_gold(folder: str) -> str:
    """Real labels of triples of views with 25 and 100 gold labels."""
    told = []
    for n in GOLD:
        losses, accuracies, _ = _tensor_labels(folder, n)
        told.append(f"{n} gold: loss {np.mean(losses):.4f}, accuracy {np.mean(accuracies):.4f}")
    return "; ".join(told)


def _tensor_labels(folder: str, gold: int) -> tuple[list[float], list[float], int]:
    """Log loss and accuracy on the sets of more than two classes that are told apart."""
    losses, accuracies = [], []
    for table in vote_sets(folder).values():
        if len(table.classes) > 2:
            some, rest = some_gold(table, gold, 0)
            model = carob.LabelModel(method="tensors", class_balance=gold_balance(table.own_gold), replicates=0)
            try:
                found = score(model.fit(table, some if gold else None).predict_proba(table), rest)
            except (InputError, NotIdentifiedError):
                continue
            losses.append(found.loss)
            accuracies.append(found.accuracy)
    return losses, accuracies, len(losses)


def topics(folder: str) -> str:
    """Topics of simulated documents: distance of their words from the truth, over that of one who knows the topics."""
    ratios = []
    for seed, (n, W, H, length) in enumerate(((400, 50, 3, 12), (2_000, 200, 5, 8), (2_000, 300, 5, 20)) * 2):
        rng = np.random.default_rng(seed)
        words = rng.dirichlet(np.full(W, 0.3), H)
        topic = rng.integers(0, H, n)
        counts = np.stack([rng.multinomial(rng.poisson(length), words[h]) for h in topic])
        known = np.stack([counts[topic == h].sum(axis=0) / counts[topic == h].sum() for h in range(H)])
        apart = np.abs(carob.paper.topics(counts, H).words[:, None] - words).sum(axis=2).min(axis=0)
        ratios.append(apart.mean() / np.abs(known - words).sum(axis=1).mean())
    return f"{np.mean(ratios):.4f}, at worst {np.max(ratios):.4f}"


def picks(folder: str) -> str:
    """Log loss with 100 and 150 picked gold labels, less that with as many random ones, on sets of few sources."""
    gains: dict[int, list[float]] = {100: [], 150: []}
    for table in vote_sets(folder).values():
        found = pick_draw(table, 150, 0) if len(table.sources) <= FEW_SOURCES else None
        for n, of_n in gains.items():
            of_n += [] if found is None else [found["picked"][n] - found["random"][n]]
    return ", ".join(f"{n} labels {np.mean(of_n):+.4f}" for n, of_n in gains.items())


def rates(folder: str) -> str:
    """Coverage of the 90 % intervals of shares from 50 gold labels, and their width over that of gold alone, there."""
    found = []
    for table in vote_sets(folder).values():
        table = table.take(np.flatnonzero(table.own_gold.known))
        if len(table.sources) <= FEW_SOURCES and len(table) >= 100:
            found += [rate_draw(table, 50, seed, None) for seed in range(DRAWS)]
    covered, width = (np.mean([row[name] for row in found]) for name in ("covered", "over_gold"))
    return f"covers {covered:.3f}, width {width:.3f}"


MEASURES: dict[str, Callable[[str], str]] = {
    measure.__name__: measure
    for measure in (
        votes, alone, default, default_all_gold, accuracies, told, scores,
        labels, few, all_gold, balance, copies, signs, tensors, tensors_gold, topics, intervals, many,
        value, own_gains, fixes, picks, rates, verdict,
    )
}  # fmt: skip


def run(task: tuple[str, str, float]) -> str:
    """One constant at one value, in a process of its own."""
    place, folder, factor = task
    constant = next(found for found in CONSTANTS if found.place == place)
    vote_sets(folder)
    constant.set(constant.times(factor))
    return MEASURES[constant.measure](folder)


def shown(value: Any) -> str:
    """A value of a constant in a table."""
    if isinstance(value, tuple | dict | np.ndarray):
        return f"{len(value)} numbers"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def table(rows: list[tuple[Constant, list[str]]]) -> str:
    """All of it as Markdown."""
    lines = [
        "# Constants",
        "",
        "Every number that was tuned: what it does, and what half of it, itself and double of it give, as",
        "`python bench/constants.py DIR` measures on a folder of real votes and on simulations. Sizes of blocks and",
        "caches, which change the time and no result, stand where they are used and are measured by `bench/run.py`.",
        "Some constants change nothing on these sets; they are kept where they bound the time, or where they are what",
        "a user can be told (how sure copies must be, how rare a class may be).",
        "",
    ]
    for name, measure in MEASURES.items():
        of_measure = [row for row in rows if row[0].measure == name]
        if of_measure:
            lines += [f"## {(measure.__doc__ or name).splitlines()[0]}", ""]
            lines += ["| constant | what it does | value | half | one | double |", "|---|---|---|---|---|---|"]
            for constant, found in of_measure:
                place = constant.place.replace(":", ".")
                lines.append(f"| `{place}` | {constant.words} | {shown(constant.value)} | {' | '.join(found)} |")
            lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Measure and print, or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder")
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [constant for constant in CONSTANTS if options.only in constant.place or options.only == constant.measure]
    # The value as it stands is measured once for all constants of a measure.
    whole = {constant.measure: constant for constant in reversed(chosen)}
    tasks = [(constant.place, options.folder, 1.0) for constant in whole.values()]
    tasks += [(constant.place, options.folder, factor) for constant in chosen for factor in (0.5, 2.0)]
    with ProcessPoolExecutor(options.jobs, get_context("spawn"), max_tasks_per_child=1) as workers:
        found = {}
        for task, result in zip(tasks, workers.map(run, tasks), strict=True):
            found[task] = result
            print(f"{task[0]:45} x {task[2]:3}: {result}", flush=True)
    rows = []
    for constant in chosen:
        one = found[whole[constant.measure].place, options.folder, 1.0]
        half, double = (found[constant.place, options.folder, factor] for factor in (0.5, 2.0))
        rows.append((constant, [half, one, double]))
    text = table(rows)
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
