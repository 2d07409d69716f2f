"""Where the back-fill looks: every id at least once, whatever is committed late, and old ones once only."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.embedding.progress import (
    LATE_IDS_MAX,
    NEAR_IDS,
    SETTLED_AFTER_S,
    THOROUGH_EVERY_S,
    WINDOW_IDS,
    Progress,
    Window,
)


def test_at_the_start_the_newest_ids_are_recent_and_the_rest_is_old() -> None:
    progress = Progress.at_start(100_000, 0.0)
    assert progress.recent_from == 100_000 - LATE_IDS_MAX
    assert progress.older_window() == Window(80_000 - WINDOW_IDS, 80_000)


def test_a_small_memory_has_no_past() -> None:
    progress = Progress.at_start(5, 0.0)
    assert (progress.recent_from, progress.older_window()) == (0, None)


def test_ids_are_recent_until_no_lower_one_can_come_any_more() -> None:
    progress = Progress.at_start(5, 0.0)
    assert progress.recent_done(9, SETTLED_AFTER_S / 2).recent_from == progress.recent_from
    settled = progress.recent_done(9, SETTLED_AFTER_S)
    assert (settled.recent_from, settled.seen_id) == (5, 9)
    assert settled.recent_done(20, SETTLED_AFTER_S * 1.5).recent_from == settled.recent_from
    assert settled.recent_done(20, SETTLED_AFTER_S * 2).recent_from == 9


def test_a_quick_look_begins_a_little_below_what_was_seen_last() -> None:
    progress = Progress.at_start(100_000, 0.0)
    assert progress.quick_from == progress.recent_from  # nothing was looked at yet
    assert progress.quick_done(100_000).quick_from == 100_000 - NEAR_IDS
    assert Progress.at_start(5, 0.0).quick_done(5).quick_from == 0


def test_all_that_is_recent_is_looked_at_first_and_now_and_then() -> None:
    progress = Progress.at_start(100, 0.0)
    assert progress.is_due(0.0)
    looked = progress.recent_done(100, 1.0)
    assert not looked.is_due(THOROUGH_EVERY_S)
    assert not looked.quick_done(200).is_due(THOROUGH_EVERY_S)
    assert looked.is_due(1.0 + THOROUGH_EVERY_S)


@given(st.integers(0, 200_000), st.lists(st.integers(1, WINDOW_IDS), min_size=1))
def test_every_old_id_is_looked_at_once_from_above(newest_id: int, steps: list[int]) -> None:
    progress = Progress.at_start(newest_id, 0.0)
    expected, number = progress.recent_from, 0
    while (window := progress.older_window()) is not None:
        assert window.upto_id == expected
        assert window.after_id == max(0, window.upto_id - WINDOW_IDS)
        # A full page ends somewhere in the window; any other looks at all of it.
        lowest = max(window.after_id + 1, window.upto_id + 1 - steps[number % len(steps)])
        progress = progress.older_done_down_to(lowest)
        expected, number = lowest - 1, number + 1
        if number > 50:
            break
    assert progress.older_upto == expected
