"""Files, frames, arrays and rules over texts become votes."""

from carob.read.read import as_votes, read_for_model, read_votes, votes_for, votes_of_source
from carob.read.table import ReadOptions
from carob.read.to_votes import coded_votes, votes_from_array, votes_of_table

__all__ = [
    "ReadOptions", "as_votes", "coded_votes", "read_for_model", "read_votes",
    "votes_for", "votes_from_array", "votes_of_source", "votes_of_table",
]  # fmt: skip
