"""The bookkeeping of PyTorch's CUDA caching allocator, replayed: how much it hands out, how much it takes from the card.

Rules (c10/cuda/CUDACachingAllocator.cpp of PyTorch): sizes are rounded up to 512 bytes; requests up to 1 MiB share segments
of 2 MiB, requests below 10 MiB segments of 20 MiB, larger ones get a segment of their own rounded up to 2 MiB; the smallest
free block that is large enough is taken and split when the rest is worth keeping; freed neighbours merge.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

ROUND = 512
SMALL = 1 << 20
SMALL_SEGMENT = 2 << 20
LARGE_SEGMENT = 20 << 20
MIN_LARGE = 10 << 20
LARGE_STEP = 2 << 20


class Event(NamedTuple):
    """A storage of `size` bytes comes to life (positive `uid`) or dies (negative); `what` is the operation that made it."""

    uid: int
    size: int
    what: str = ""


@dataclass(slots=True, eq=False)
class Block:
    size: int
    small: bool
    serial: int
    free: bool = True
    before: Block | None = None
    after: Block | None = None


Entry = tuple[int, int, Block]


@dataclass(slots=True)
class Allocator:
    """Blocks in two pools, small and large; free ones sorted by size, then by age."""

    allocated: int = 0
    reserved: int = 0
    peak_allocated: int = 0
    peak_reserved: int = 0
    live: dict[int, Block] = field(default_factory=dict)
    free: tuple[list[Entry], list[Entry]] = field(default_factory=lambda: ([], []))
    blocks: int = 0

    def take(self, uid: int, size: int) -> None:
        """Hands out a block for the storage `uid`."""
        size = rounded(size)
        small = size <= SMALL
        block = self._best_fit(size, small) or self._new_segment(size, small)
        rest = block.size - size
        if rest >= ROUND if small else rest > SMALL:
            self._split(block, size)
        block.free = False
        self.live[uid] = block
        self.allocated += block.size
        self.peak_allocated = max(self.peak_allocated, self.allocated)

    def release(self, uid: int) -> None:
        """Takes the block of the storage `uid` back and merges it with free neighbours."""
        block = self.live.pop(uid)
        self.allocated -= block.size
        if block.before is not None and block.before.free:
            block = self._merge(block.before, block, kept_is_listed=True)
        if block.after is not None and block.after.free:
            self._unlist(block.after)
            block = self._merge(block, block.after, kept_is_listed=False)
        block.free = True
        self._list(block)

    def _best_fit(self, size: int, small: bool) -> Block | None:
        entries = self.free[small]
        at = bisect_left(entries, size, key=lambda entry: entry[0])
        return entries.pop(at)[2] if at < len(entries) else None

    def _new_segment(self, size: int, small: bool) -> Block:
        if small:
            segment = SMALL_SEGMENT
        else:
            segment = LARGE_SEGMENT if size < MIN_LARGE else -(-size // LARGE_STEP) * LARGE_STEP
        self.reserved += segment
        self.peak_reserved = max(self.peak_reserved, self.reserved)
        return self._new_block(segment, small)

    def _new_block(self, size: int, small: bool) -> Block:
        self.blocks += 1
        return Block(size, small, self.blocks)

    def _split(self, block: Block, size: int) -> None:
        rest = self._new_block(block.size - size, block.small)
        rest.before, rest.after = block, block.after
        if block.after is not None:
            block.after.before = rest
        block.after, block.size = rest, size
        self._list(rest)

    def _merge(self, first: Block, second: Block, *, kept_is_listed: bool) -> Block:
        if kept_is_listed:
            self._unlist(first)
        first.size += second.size
        first.after = second.after
        if second.after is not None:
            second.after.before = first
        return first

    def _list(self, block: Block) -> None:
        insort(self.free[block.small], (block.size, block.serial, block))

    def _unlist(self, block: Block) -> None:
        entries = self.free[block.small]
        del entries[bisect_left(entries, (block.size, block.serial), key=lambda entry: entry[:2])]


def rounded(size: int) -> int:
    """Bytes as the allocator hands them out: at least one unit of 512."""
    return max(ROUND, -(-size // ROUND) * ROUND)


def replay(kept: Iterable[int], events: Sequence[Event], *, steps: int = 2) -> Allocator:
    """The allocator after `steps` equal steps over storages that stay (`kept`); what a step leaves alive dies at its end."""
    allocator = Allocator()
    uid = 0
    for size in kept:
        uid += 1
        allocator.take(uid, size)
    offset = uid
    for _ in range(steps):
        alive: set[int] = set()
        for event in events:
            if event.uid > 0:
                alive.add(event.uid)
                allocator.take(offset + event.uid, event.size)
            elif -event.uid in alive:
                alive.remove(-event.uid)
                allocator.release(offset - event.uid)
        for left in sorted(alive):
            allocator.release(offset + left)
    return allocator


class Peak(NamedTuple):
    """The highest sum of live bytes, the index of the event that reached it, and what is alive there, by uid."""

    size: int
    at: int
    alive: frozenset[int]


def find_peak(events: Sequence[Event]) -> Peak:
    """The peak of one step's events, in bytes as handed out."""
    now = best = 0
    at = -1
    for index, event in enumerate(events):
        now += rounded(event.size) if event.uid > 0 else -rounded(event.size)
        if now > best:
            best, at = now, index
    alive: set[int] = set()
    for event in events[: at + 1]:
        if event.uid > 0:
            alive.add(event.uid)
        else:
            alive.discard(-event.uid)
    return Peak(best, at, frozenset(alive))
