"""What m sources said on n points, and the true class of some of them."""

from carob.votes.gold import Gold, GoldPoints
from carob.votes.outputs import Outputs
from carob.votes.storage import Patterns
from carob.votes.votes import Votes

__all__ = ["Gold", "GoldPoints", "Outputs", "Patterns", "Votes"]
