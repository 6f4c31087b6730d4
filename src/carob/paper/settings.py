"""The settings of the paper's estimators: those of any fit, and what only triplets of sources have."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, Self, get_args

import numpy as np

from carob.errors import one_of
from carob.posterior.settings import Settings

Aggregate = Literal["median", "mean", "random"]
Negative = Literal["drop", "absolute"]
Signs = Literal["positive", "data"]


@dataclass(frozen=True)
class TripletSettings(Settings):
    """What each means stands in `carob.paper.triplets`."""

    aggregate: Aggregate = "median"
    symmetric: bool | None = None
    negative: Negative = "drop"
    signs: Signs = "positive"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("aggregate", self.aggregate, get_args(Aggregate))
        one_of("negative", self.negative, get_args(Negative))
        one_of("signs", self.signs, get_args(Signs))
        if self.symmetric is not None and not isinstance(self.symmetric, bool | np.bool_):
            raise TypeError(f"symmetric must be True, False or None, not {self.symmetric!r}.")

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Those of a fit, with the paper's defaults for the rest."""
        return cls(**{field.name: getattr(settings, field.name) for field in fields(Settings)})
