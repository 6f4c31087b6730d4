"""Kinds of sources: what triplets are taken of, and what their solution means. One file each.

To add a kind: write it as a subclass of `Kind` in a file of its own, and name it in `KINDS`.
"""

from __future__ import annotations

from karat.errors import InputError
from karat.estimate.kinds.conditional import ClassConditional
from karat.estimate.kinds.kind import Features, GoldView, Kind
from karat.estimate.kinds.symmetric import Symmetric
from karat.moments import Moments

__all__ = ["KINDS", "ClassConditional", "Features", "GoldView", "Kind", "Symmetric", "choose_kind"]

KINDS: tuple[Kind, ...] = (ClassConditional(), Symmetric())  # the first that suits the votes is taken


def choose_kind(symmetric: bool | None, moments: Moments) -> Kind:
    """The kind that a user asked for, or the first that suits the votes."""
    if symmetric is None:
        return next(kind for kind in KINDS if kind.suits(moments))
    kind = next(kind for kind in KINDS if isinstance(kind, Symmetric) == symmetric)
    problem = kind.refuses(len(moments.classes))
    if problem:
        raise InputError(problem)
    return kind
