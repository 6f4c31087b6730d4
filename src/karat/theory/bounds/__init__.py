"""The paper's bounds: one function per theorem, proposition and corollary."""

from karat.theory.bounds.combined import (
    CombinedBound,
    corrected_combination,
    misspecified_combination,
    value_ratio_corrected,
    value_ratio_exact,
    value_ratio_lower,
    value_ratio_misspecified,
    value_ratio_well_specified,
    vote_information,
    well_specified_combination,
)
from karat.theory.bounds.excess import (
    Bound,
    Constants,
    Correction,
    Summary,
    constants,
    corrected_bound,
    correction,
    labeled_bound,
    lower_bound,
    unlabeled_bound,
)

__all__ = [
    "Bound",
    "CombinedBound",
    "Constants",
    "Correction",
    "Summary",
    "constants",
    "corrected_bound",
    "corrected_combination",
    "correction",
    "labeled_bound",
    "lower_bound",
    "misspecified_combination",
    "unlabeled_bound",
    "value_ratio_corrected",
    "value_ratio_exact",
    "value_ratio_lower",
    "value_ratio_misspecified",
    "value_ratio_well_specified",
    "vote_information",
    "well_specified_combination",
]
