"""Kinds of sources: what triplets are taken of, and what their solution means. One file each.

To add a kind: write it as a subclass of `Kind` in a file of its own, and name it in `KINDS`.
"""

from __future__ import annotations

from carob.count.moments import Moments
from carob.errors import InputError
from carob.paper.kinds.conditional import ClassConditional
from carob.paper.kinds.graded import Graded
from carob.paper.kinds.kind import Features, Kind
from carob.paper.kinds.symmetric import Symmetric

__all__ = ["KINDS", "ClassConditional", "Features", "Graded", "Kind", "Symmetric", "choose_kind"]

KINDS: tuple[Kind, ...] = (Graded(), ClassConditional(), Symmetric())  # the first that suits the votes is taken


def choose_kind(symmetric: bool | None, moments: Moments) -> Kind:
    """The kind that a user asked for, or the first that suits the votes."""
    if symmetric and moments.outputs.leaning:
        raise InputError(
            "a score is no vote, of which one accuracy would tell. Leave symmetric= out, or read scores "
            "as votes (kinds=; --kind)."
        )
    if symmetric is None or moments.outputs.leaning:
        kind = next(kind for kind in KINDS if kind.suits(moments))
    else:
        asked = Symmetric if symmetric else ClassConditional
        kind = next(kind for kind in KINDS if type(kind) is asked)
    problem = kind.refuses(len(moments.classes))
    if problem:
        raise InputError(problem)
    return kind
