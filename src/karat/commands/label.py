"""`karat label`: label points with a model that was fitted before."""

from __future__ import annotations

from dataclasses import dataclass

from karat._types import Label
from karat.commands.inputs import VotesFile
from karat.commands.outputs import LabelShare, label_columns, label_shares
from karat.io.files import check_apart
from karat.io.formats import check_output, written_table
from karat.model import load


@dataclass(frozen=True)
class LabelResult:
    """What was labeled and written.

    Parameters
    ----------
    n_points : int
    classes : tuple
    labels : tuple of LabelShare
    out : str
        The file that was written.
    n_uncovered : int
        Points that no source votes on.
    """

    n_points: int
    classes: tuple[Label, ...]
    labels: tuple[LabelShare, ...]
    out: str
    n_uncovered: int = 0


def label_votes(data: VotesFile, model_file: str, out: str, leave_uncovered: bool = False) -> LabelResult:
    """Write a label and probabilities for every point.

    Parameters
    ----------
    model_file : str
        What `karat fit` saved.
    leave_uncovered : bool
        Write no label for points without a vote.
    """
    check_output(out)
    check_apart([model_file], [out])
    model = load(model_file)
    votes = data.apart_from([out]).read_for(model)
    probabilities = model.predict_proba(votes)
    with written_table(out, label_columns(votes, probabilities, leave_uncovered)):
        pass
    shares = label_shares(votes, probabilities, leave_uncovered)
    return LabelResult(len(votes), votes.classes, shares, out, int((votes.number == 0).sum()))
