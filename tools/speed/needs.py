"""Machines for a wished speed: requests per second, tokens per second, or a time to the first token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from knowledge.rows import Gpu, Instance
from tools.budget import keeps_budget
from tools.demand import Wish
from tools.finder import find_instances
from tools.llm_demand import PHRASES as RUNNING
from tools.offers import card_of
from tools.parallel import tensor_parallel_sizes
from tools.phrases import Language, read_phrases, say
from tools.replicas import MOST_MACHINES
from tools.results import Price
from tools.serving import ServingJob, blocked
from tools.wishes import check_wish, is_asked

from .copies import (
    Copy,
    Obstacle,
    SpeedNeed,
    Task,
    copies_needed,
    find_copy,
    load_of,
    make_task,
    open_requests,
)
from .cost import hourly_cost, token_price
from .efficiency import PHRASES
from .need_results import SpeedAnswer, SpeedMachines
from .results import Speed
from .speed import speed_of

SHOWN = 12
NEARNESS = 10**9
"""Weight of an obstacle of cards that are fast enough, divided by the machines that it takes."""
STATUS_ORDER = ("on_sale", "contact_sales", "invite_only", "overseas_only")


@dataclass(frozen=True)
class _Way:
    """Copies on machines of one type."""

    copy: Copy
    copies: int
    machines: int


def machines_for(
    need: SpeedNeed, job: ServingJob, *, wish: Wish | None = None, tensor_parallel: int | None = None, language: Language = "en"
) -> SpeedAnswer:
    """Machines of each type that keep the wished speed: priced ones on sale first, cheapest first; then those without a price.

    Of types with the same cards, count and links only the cheapest stands. InputError for a need that names nothing or
    nothing possible.
    """
    wish, task = check_wish(wish or Wish(), language), make_task(need, job, language=language)
    table, reasons = read_phrases("tools", PHRASES), dict[str, Obstacle]()
    found = sorted(_machines(task, wish, tensor_parallel, reasons), key=_rank)
    held = [(row, keeps_budget(wish, row.instance_type, machines=row.instances)) for row in found]
    machines = [row for row, keeps in held if keeps is not False][:SHOWN]
    kept = {row.gpu_id for row, _ in held}
    return SpeedAnswer(
        qps=need.qps, total_tokens_per_s=need.total_tokens_per_s, tokens_per_s=need.tokens_per_s, ttft_s=need.ttft_s,
        concurrency=None if task.rate else task.users, input_tokens=task.prompt, output_tokens=task.answer,
        region=wish.region, currency=wish.currency, machines=machines,
        over_budget=None if machines else next((row for row, _ in held), None),
        too_slow={card: why.sentence for card, why in reasons.items() if card not in kept},
        assumptions=[say(table, code, language) for code in ("low_end", "evenly", "full_load")],
        source_ids=list(dict.fromkeys(source for row in machines[:3] for source in row.source_ids)),
    )  # fmt: skip


def _machines(task: Task, wish: Wish, tensor_parallel: int | None, reasons: dict[str, Obstacle]) -> Iterator[SpeedMachines]:
    """One row for each card, count and link, its first type: the cheapest, those with a price before others."""
    seen: set[tuple[str, int, bool, float | None]] = set()
    for instance, gpu, price in _candidates(wish):
        place = (gpu.gpu_id, instance.gpu_count, instance.nvlink, instance.gpu_memory_gb_each)
        if place in seen:
            continue
        seen.add(place)
        way = _find_way(task, instance, gpu, tensor_parallel, reasons)
        if way is not None:
            row = _row(task, instance, gpu, price, way)
            yield row


def _candidates(wish: Wish) -> Iterator[tuple[Instance, Gpu, Price | None]]:
    """Types that the wish admits; prices in another currency are none. Hosts of ARM only where named."""
    for listing in find_instances(region=wish.region):
        instance, price = listing.instance, listing.price
        if not is_asked(instance, wish) or (instance.cpu_arch == "arm64" and not wish.restricted):
            continue
        yield instance, card_of(instance), price if price and price.currency == wish.currency else None


def _find_way(
    task: Task, instance: Instance, gpu: Gpu, tensor_parallel: int | None, reasons: dict[str, Obstacle]
) -> _Way | None:
    """The fewest machines of a type; None with a reason where no copy on it keeps the wish."""
    if code := blocked(task.job, gpu):
        reasons.setdefault(gpu.gpu_id, Obstacle(0, say(read_phrases("tools", RUNNING), code, task.language)))
        return None
    ways = []
    for size in tensor_parallel_sizes(task.job.model, instance.gpu_count, task.job.weight_dtype):
        if tensor_parallel not in (None, size):
            continue
        copy = find_copy(task, gpu, tensor_parallel=size, nvlink=instance.nvlink)
        if isinstance(copy, Obstacle):
            reasons[gpu.gpu_id] = max(copy, reasons.get(gpu.gpu_id, copy), key=lambda why: (why.weight, why.cards))
            continue
        copies = copies_needed(task, copy)
        ways.append(_Way(copy, copies, -(-copies // (instance.gpu_count // size))))
    fewest = min(ways, key=lambda way: (way.machines, way.copies), default=None)
    if fewest is not None and fewest.machines > MOST_MACHINES:
        _remember(task, gpu, fewest.machines, reasons)
        return None
    return fewest


def _remember(task: Task, gpu: Gpu, machines: int, reasons: dict[str, Obstacle]) -> None:
    """That a card would do, with too many machines: a nearer miss than that it is too slow."""
    sentence = say(read_phrases("tools", PHRASES), "too_many", task.language, machines=machines, most=MOST_MACHINES)
    here = Obstacle(3 + NEARNESS // machines, sentence)
    reasons[gpu.gpu_id] = max(here, reasons.get(gpu.gpu_id, here), key=lambda why: why.weight)


def _row(task: Task, instance: Instance, gpu: Gpu, price: Price | None, way: _Way) -> SpeedMachines:
    users = open_requests(task, way.copy, way.copies)
    speed = _speed(task, way.copy, gpu, users)
    full = speed if users == way.copy.most else _speed(task, way.copy, gpu, way.copy.most)
    priced = token_price(price, full, copies=way.copies, instances=way.machines) if price else None
    return SpeedMachines(
        instance_type=instance.instance_type, family=instance.family, gpu_id=instance.gpu_id,
        gpu_count=instance.gpu_count, instances=way.machines, status=instance.status, copies=way.copies,
        tensor_parallel=way.copy.lane.loads.tensor_parallel,
        concurrency=task.users if task.rate is None else users * way.copies, concurrency_per_copy=users,
        room_per_copy=way.copy.room, speed=speed, load=load_of(task, way.copy, way.copies), price=price,
        hourly=hourly_cost(price, way.machines) if price else None, token_price=priced,
        source_ids=list(dict.fromkeys((*speed.source_ids, *instance.source_ids, *((price.source_id,) if price else ())))),
    )  # fmt: skip


def _speed(task: Task, copy: Copy, gpu: Gpu, users: int) -> Speed:
    return speed_of(task.load(gpu, users), copy.lane, task.language)


def _rank(row: SpeedMachines) -> tuple[bool, int, Decimal, int, int, str]:
    """Priced and on sale first, by cost; without a price the fewest cards."""
    status = STATUS_ORDER.index(row.status) if row.status in STATUS_ORDER else len(STATUS_ORDER)
    priced = row.hourly is not None and status == 0
    return not priced, status, row.hourly or Decimal(0), row.instances * row.gpu_count, row.copies, row.instance_type
