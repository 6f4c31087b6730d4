"""What m sources said on n points, and the true class of some of them."""

from karat.votes.class_warnings import ClassWarning, class_warnings
from karat.votes.gold import Gold
from karat.votes.gold_points import GoldPoints
from karat.votes.outputs import Outputs
from karat.votes.patterns import Patterns
from karat.votes.read import as_votes, read_for_model, read_votes, votes_for
from karat.votes.votes import Votes

__all__ = [
    "ClassWarning", "Gold", "GoldPoints", "Outputs", "Patterns", "Votes", "as_votes", "class_warnings",
    "read_for_model", "read_votes", "votes_for",
]  # fmt: skip
