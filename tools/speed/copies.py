"""One copy of a model on cards of one kind against a wished speed: how many requests it takes, and how many copies are needed.

The largest number of requests at once is sought that memory holds and that keeps every user within the wish, by the slow
end of the band, so that the wish is kept. Little's law then gives the copies:

    requests per second of a copy = B / seconds of a request at B         copies = wished rate / that, rounded up
    requests open at once         = rate × seconds of a request           solved to a fixed point: speed depends on it
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from knowledge.errors import InputError
from knowledge.rows import Gpu
from tools.phrases import Language, read_phrases, say
from tools.serving import ServingJob, serving_sum
from tools.serving_job import MAX_CONCURRENCY
from tools.solved import largest

from .efficiency import PHRASES
from .lanes import Lane, Load, check_users, job_lane, lengths_said, split_context
from .times import Times

MOST = {"qps": 1_000_000.0, "total_tokens_per_s": 1e9, "tokens_per_s": 100_000.0, "ttft_s": 86_400.0}
"""Rates beyond these are slips of the unit."""


@dataclass(frozen=True)
class SpeedNeed:
    """What was wished; None asks nothing. `tokens_per_s` is of one user, after the first token; `total_tokens_per_s` of all.

    `concurrency` users at once are to be served where no rate is given; None takes the job's. Lengths that are not
    given are taken from the job's context.
    """

    qps: float | None = None
    total_tokens_per_s: float | None = None
    tokens_per_s: float | None = None
    ttft_s: float | None = None
    concurrency: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True)
class Task:
    """A need with its lengths settled; `rate` in requests per second, None where users are counted."""

    job: ServingJob  # its context holds one request
    need: SpeedNeed
    prompt: int
    answer: int
    rate: float | None
    users: int
    lengths_said: bool
    language: Language

    def load(self, gpu: Gpu, users: int) -> Load:
        """That many requests at once on one copy."""
        return Load(self.job, gpu, users, self.prompt, self.answer, self.lengths_said)

    def keeps(self, times: Times) -> bool:
        """Whether a user at those times gets what was wished."""
        slow = self.need.tokens_per_s is not None and 1 / times.token_s < self.need.tokens_per_s
        late = self.need.ttft_s is not None and times.first_token_s > self.need.ttft_s
        return not (slow or late)

    def slow_times(self, lane: Lane, users: int) -> Times:
        """Times of that many requests at once by the slow end of the band."""
        return lane.times(users, self.prompt, self.answer, slow=True)


@dataclass(frozen=True)
class Copy:
    """One way to run a copy: its lane, the requests that memory holds, the most that keep the wish."""

    lane: Lane
    room: int
    most: int

    def rate(self, task: Task) -> float:
        """Requests per second at the most that it takes."""
        return self.most / task.slow_times(self.lane, self.most).request_s


@dataclass(frozen=True)
class Obstacle:
    """Why a copy cannot keep the wish; of several the one of the highest weight tells most about a card."""

    weight: int  # 0: figures unknown, 1: does not fit, 2: fits and is too slow, 3 and more: too many machines
    sentence: str
    cards: int = 0  # of the copy: of equals the largest copy, which is the fastest, speaks


def make_task(need: SpeedNeed, job: ServingJob, *, language: Language) -> Task:
    """The need against a job. InputError for a need that names nothing, or nothing possible."""
    _check(need, language)
    prompt, answer = split_context(job.context, need.input_tokens or job.prompt, need.output_tokens, language=language)
    rate = need.qps or (need.total_tokens_per_s / answer if need.total_tokens_per_s else None)
    users = need.concurrency or job.concurrency
    check_users(users, language)
    said = lengths_said(job, need.input_tokens, need.output_tokens)
    job = replace(job, context=prompt + answer, prompt=None, concurrency=users, data_parallel=1)
    return Task(job, need, prompt, answer, rate, users, said, language)


def find_copy(task: Task, gpu: Gpu, *, tensor_parallel: int, nvlink: bool) -> Copy | Obstacle:
    """The copy on that many cards, or why it cannot keep the wish."""
    table = read_phrases("tools", PHRASES)
    try:
        lane = job_lane(task.job, gpu, tensor_parallel=tensor_parallel, nvlink=nvlink, language=task.language)
        room = room_of(task.job, gpu, tensor_parallel)
    except InputError as problem:
        return Obstacle(0, str(problem))
    if room < 1:
        return Obstacle(1, say(table, "too_small", task.language, context=task.job.context))
    most = largest(lambda users: task.keeps(task.slow_times(lane, users)), low=1, high=room)
    return Copy(lane, room, most) if most else Obstacle(2, _why_slow(task, lane, tensor_parallel), tensor_parallel)


def room_of(job: ServingJob, gpu: Gpu, tensor_parallel: int) -> int:
    """Requests that the memory of a copy holds. What sampling takes grows with them: it is asked of no more than may fit."""

    def held(users: int) -> int:
        return serving_sum(replace(job, concurrency=users), gpu, tensor_parallel=tensor_parallel).max_sequences

    return min(MAX_CONCURRENCY, held(max(1, min(held(1), MAX_CONCURRENCY))))


def copies_needed(task: Task, copy: Copy) -> int:
    """Copies that keep up with the rate, or seat all users."""
    if task.rate is None:
        return -(-task.users // copy.most)
    return max(1, math.ceil(task.rate / copy.rate(task)))


def open_requests(task: Task, copy: Copy, copies: int) -> int:
    """Requests open at once on each copy: Little's law, solved to a fixed point from below; else the users' share."""
    if task.rate is None:
        return min(copy.most, -(-task.users // copies))
    each, users = task.rate / copies, 1
    while users < copy.most:
        needed = math.ceil(each * task.slow_times(copy.lane, users).request_s - 1e-9)
        if needed <= users:
            break
        users = min(needed, copy.most)
    return users


def load_of(task: Task, copy: Copy, copies: int) -> float:
    """Share of what the copies can do within the wish."""
    if task.rate is None:
        return task.users / (copies * copy.most)
    return task.rate / (copies * copy.rate(task))


def users_at(lane: Lane, tokens_per_s: float, prompt: int, answer: int, *, room: int, slow: bool = True) -> int:
    """The most users of a copy that each get that many tokens per second; 0 where not even one does."""
    return largest(lambda users: 1 / lane.times(users, prompt, answer, slow=slow).token_s >= tokens_per_s, low=1, high=room) or 0


def _check(need: SpeedNeed, language: Language) -> None:
    table, asked = read_phrases("tools", PHRASES), [(name, getattr(need, name)) for name in MOST]
    if all(value is None for _, value in asked):
        raise InputError(say(table, "nothing_wished", language))
    for name, value in asked:
        if value is not None and not 0 < value <= MOST[name]:
            what = say(table, name, language)
            raise InputError(say(table, "rate_out_of_range", language, what=what, most=MOST[name], value=value))


def _why_slow(task: Task, lane: Lane, tensor_parallel: int) -> str:
    """Why one request alone does not keep the wish."""
    best, slow = lane.times(1, task.prompt, task.answer), task.slow_times(lane, 1)
    table, need = read_phrases("tools", PHRASES), task.need
    if need.ttft_s and slow.first_token_s > need.ttft_s:
        figures = {"best": best.first_token_s, "high": slow.first_token_s, "wish": need.ttft_s}
        return say(table, "too_slow_first", task.language, cards=tensor_parallel, **figures)
    figures = {"best": 1 / best.token_s, "low": 1 / slow.token_s, "wish": need.tokens_per_s or 0.0}
    return say(table, "too_slow_token", task.language, cards=tensor_parallel, **figures)
