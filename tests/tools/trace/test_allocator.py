"""The rules of the caching allocator, one by one, and peaks of a log of events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.trace.allocator import Allocator, Event, find_peak, replay, rounded

MIB = 1 << 20


@pytest.mark.parametrize(("asked", "given_"), [(1, 512), (512, 512), (513, 1024), (0, 512), (MIB, MIB)])
def test_sizes_are_rounded_to_512(asked: int, given_: int) -> None:
    assert rounded(asked) == given_


@pytest.mark.parametrize(
    ("size", "reserved"),
    [
        (1000, 2 * MIB), (MIB, 2 * MIB), (MIB + 1, 20 * MIB), (10 * MIB - 512, 20 * MIB), (10 * MIB, 10 * MIB),
        (10 * MIB + 1, 12 * MIB), (33 * MIB, 34 * MIB),
    ],
)  # fmt: skip
def test_segments_by_size(size: int, reserved: int) -> None:
    allocator = Allocator()
    allocator.take(1, size)
    assert allocator.reserved == reserved


def test_a_segment_is_shared_and_merged_again() -> None:
    allocator = Allocator()
    for uid in (1, 2, 3):
        allocator.take(uid, 4 * MIB)
    assert allocator.reserved == 20 * MIB
    for uid in (1, 3, 2):
        allocator.release(uid)
    allocator.take(4, 19 * MIB)
    assert (allocator.reserved, allocator.allocated) == (20 * MIB, 20 * MIB)  # a rest of 1 MiB stays with the block


def test_the_smallest_block_that_fits_is_taken() -> None:
    allocator = Allocator()
    for uid, size in ((1, 40 * MIB), (2, 30 * MIB), (3, 20 * MIB)):
        allocator.take(uid, size)
    for uid in (1, 2, 3):
        allocator.release(uid)
    allocator.take(4, 25 * MIB)
    allocator.take(5, 40 * MIB)
    assert allocator.reserved == 90 * MIB


def test_a_large_segment_does_not_serve_small_requests() -> None:
    allocator = Allocator()
    allocator.take(1, 30 * MIB)
    allocator.release(1)
    allocator.take(2, 1000)
    assert allocator.reserved == 32 * MIB


def test_peak_and_what_is_alive_there() -> None:
    events = [Event(1, 1024, "a"), Event(2, 2048, "b"), Event(-1, 1024), Event(3, 512, "c"), Event(-2, 2048), Event(-3, 512)]
    peak = find_peak(events)
    assert (peak.size, peak.at, peak.alive) == (3072, 1, frozenset({1, 2}))


def test_what_a_step_leaves_dies_before_the_next() -> None:
    allocator = replay([MIB], [Event(1, 2 * MIB), Event(2, 3 * MIB), Event(-1, 2 * MIB)])
    assert allocator.peak_allocated == 6 * MIB
    assert allocator.allocated == MIB


@given(st.lists(st.tuples(st.integers(1, 40 * MIB), st.booleans()), max_size=40))
def test_the_books_balance(steps: list[tuple[int, bool]]) -> None:
    allocator, live = Allocator(), []
    for uid, (size, drop) in enumerate(steps, 1):
        allocator.take(uid, size)
        live.append(uid)
        if drop:
            allocator.release(live.pop(0))
        assert allocator.allocated <= allocator.reserved
        assert allocator.allocated >= sum(rounded(steps[uid - 1][0]) for uid in live)
    for uid in live:
        allocator.release(uid)
    assert allocator.allocated == 0
    free = sum(entry[0] for pool in allocator.free for entry in pool)
    assert free == allocator.reserved
