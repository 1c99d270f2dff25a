"""Digests of what sizes a job: the composed answer, then the choices and misses that it does not name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assistant.compose import words as figures
from assistant.compose.cpu import compose_cpu
from assistant.compose.job import compose_job
from assistant.compose.job_view import JobView
from assistant.compose.machine_view import MachineView
from assistant.compose.sizing import compose_sizing
from assistant.compose.sizing_view import View
from assistant.compose.speed import compose_speed
from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from tools.results import Recommendation
from tools.speed.sentences import speed_sentence

from .digest import Section, words

MOST_CHOICES = 4
MOST_MISSES = 3


def serving(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `size_llm`."""
    draft, view = compose_sizing(reading, one, finding), View(reading, one, finding)
    more = [_shape(view), *_rows(view, draft.text)]
    speed = view.sizing.speed
    if speed is not None and (said := speed_sentence(speed, reading.language)) not in draft.text:
        more.append(said + one.mark(speed.source_ids))
    return Section(draft.text, more, [*draft.derived, *view.derived])


def job(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of the tools that size any other job on GPUs."""
    draft, view = compose_job(reading, one, finding), JobView(reading, one, finding)
    more = list(_rows(view, draft.text))
    return Section(draft.text, more, [*draft.derived, *view.derived])


def speed(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `size_speed`."""
    draft = compose_speed(reading, one, [finding])
    return Section(draft.text, derived=draft.derived)


def cpu(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `size_cpu`."""
    draft = compose_cpu(reading, one, finding)
    return Section(draft.text, derived=draft.derived)


def _shape(view: View) -> str:
    """The model and the amounts that follow-up questions are about."""
    sizing, model, voice = view.sizing, view.sizing.model, words(view.language)
    return voice(
        "shape",
        model=model.model_id,
        params=figures.plain(round(model.params_billion, 1)),
        layers=voice("layers", layers=model.layers) if model.layers else "",
        weights=figures.gib(sizing.totals.weights_gib),
        dtype=sizing.weight_dtype,
        kv=figures.plain(round(sizing.totals.kv_kib_per_token, 1)),
        sequences=sizing.max_sequences,
        longest=f"{sizing.longest_context:,}",
        mark=view.evidence.mark(model.source_ids),
    )


def _rows(view: MachineView, told: str) -> Iterator[str]:
    """Types that the text does not name: those that fit, then those that do not."""
    voice, advice = words(view.language), view.sizing.advice
    fitting = _each_card([*advice.recommendations, *advice.multi], told)[:MOST_CHOICES]
    if fitting:
        yield "\n".join([voice("choices"), *(_choice(voice, view, row) for row in fitting)])
    short = [row for row in advice.near_misses if row.headroom_gib < 0]  # others miss by their main memory, which this line does not tell
    missing = _each_card(short, told)[:MOST_MISSES]
    if missing:
        yield "\n".join([voice("misses"), *(_miss(voice, view, row) for row in missing)])


def _each_card(rows: Iterable[Recommendation], told: str) -> list[Recommendation]:
    """The first row of each card and count that is not told yet."""
    first: dict[tuple[str, int, int], Recommendation] = {}
    for row in rows:
        first.setdefault((row.gpu_id, row.gpu_count, row.instances), row)
    return [row for row in first.values() if f"`{row.instance_type}`" not in told]


def _choice(voice: Callable[..., str], view: MachineView, row: Recommendation) -> str:
    return voice(
        "choice",
        machines=f"{row.instances} × " if row.instances > 1 else "",
        headroom=figures.gib(row.headroom_gib),
        price=view.price(row),
        status=view.status(row).rstrip("。."),
        **_need(view, row),
    )


def _miss(voice: Callable[..., str], view: MachineView, row: Recommendation) -> str:
    return voice("miss", short=figures.gib(view.derive(-row.headroom_gib)), **_need(view, row))


def _need(view: MachineView, row: Recommendation) -> dict[str, str]:
    limit = view.derive(row.required_gib_per_gpu + row.headroom_gib)
    return {"instance": row.instance_type, "cards": view.cards(row), "required": figures.gib(row.required_gib_per_gpu), "limit": figures.gib(limit)}
