from __future__ import annotations

import numpy as np

from carob.count.sampling import MOST_EACH, MOST_VOTES, learned_from, row_hashes


def test_all_points_are_learned_from_where_votes_are_few_and_a_fair_share_where_they_are_many() -> None:
    hashes = row_hashes(np.arange(100_000))
    assert learned_from(hashes, MOST_VOTES, 10).all()
    part = learned_from(hashes, 4 * MOST_VOTES, 10)
    assert abs(part.mean() - 0.25) < 0.01
    assert learned_from(hashes, 4 * MOST_VOTES, 4 * MOST_VOTES // MOST_EACH).all()  # many sources need more points


def test_whether_a_point_is_learned_from_depends_on_its_row_alone() -> None:
    rows = np.random.default_rng(0).permutation(1_000)
    np.testing.assert_array_equal(row_hashes(rows), row_hashes(np.arange(1_000))[rows])
