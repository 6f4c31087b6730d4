"""What carob's words mean, for `carob help words` and the documentation."""

from __future__ import annotations

import textwrap

WORDS = {
    "source": "Whoever or whatever votes: a labeling function, a crowd worker, an LLM judge, a word rule.",
    "point": "What is labeled: a text, an image, an answer. One row of a wide table.",
    "vote": "The class that a source gives a point; a source may also say nothing (abstain).",
    "score": "A number that a source gives instead of a class; the higher, the more it speaks for the second class.",
    "gold label": "The true class of a point, looked up by somebody whom you trust.",
    "class balance": "How common each class is among all points.",
    "accuracy": "How often a vote of a source, or a label, is right, as a share: .9 is nine times in ten.",
    "interval": "Where the true number lies nine times in ten (--level sets another share).",
    "log loss": "How wrong probabilities are: the mean of -log(probability of the true class). 0 is perfect; with two "
    "classes .693 is no better than a coin. It falls where labels become right and where they become as sure as they "
    "should be.",
    "dependent pair": "Two sources that agree, or disagree, more than the class explains. Their correlation says how "
    "much: 1 is a copy, below 0 they contradict each other.",
    "known pair": "Two sources that you know to depend on each other (--known-pair); carob counts them as one.",
    "reading": "One of three ways in which votes may follow from the class: sources repeat each other, they work on "
    "their own, or that they speak at all tells as well. Probabilities are an average of the three; `carob fit` prints "
    "the share of each.",
    "worse than chance": "Said of a source whose whole interval is below what random votes for the same classes would "
    "get. Its votes then speak against what they say.",
    "best cut": "The number at which scores are cut into votes: from there on they speak for the other class.",
    "set aside": "Left out, and named: sources that never vote, always vote the same or are copies, and columns that "
    "are no votes.",
    "majority vote": "The class that most sources vote for.",
    "votes alone, gold alone, votes and gold": "What labels are learned from: all votes without gold labels, gold "
    "labels without the other points, or both. Both is what `carob fit --gold` does.",
    "f": "The number of gold labels that alone do as well as all votes alone.",
    "data value ratio": "Points over f: how many unlabeled points do what one gold label does.",
    "gain": "How much a purchase is expected to lower the log loss, on average over what you might get for it.",
    "regret": "How much is lost by an answer that is not the best one.",
    "polarity": "The classes that a source ever votes for.",
    "coverage": "The share of points on which a source votes.",
    "overlaps": "The share of points on which a source votes and another one, too.",
    "conflicts": "The share of points on which a source votes and another one votes differently.",
    "chance of a point": "How likely `carob pick` was to pick it; with --chance, picked gold then biases nothing.",
    "triplet": "Three sources whose agreement tells how good each is, without gold: the method of the paper.",
}


def glossary_text(width: int = 80) -> str:
    """All words, one after the other.

    >>> print(glossary_text().splitlines()[0])
    source
    """
    lines = []
    for word, meaning in WORDS.items():
        lines += [word, *textwrap.wrap(meaning, width, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join([*lines, ""])
