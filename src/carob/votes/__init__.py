"""What m sources said on n points, and the true class of some of them."""

from carob.votes.gold import Gold
from carob.votes.gold_points import GoldPoints
from carob.votes.outputs import Outputs
from carob.votes.patterns import Patterns
from carob.votes.votes import Votes

__all__ = ["Gold", "GoldPoints", "Outputs", "Patterns", "Votes"]
