"""Does the family or type exist, is it CPU or GPU, is it sold, is it entry-level?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.nearest import nearest_families
from tools.results import Verdict

from .cues import cue, negated, says
from .finding import Finding, Voice, join_sources, sizes, true_if
from .mentions import Mention
from .names import card_name, family, instance, is_cpu, not_family, types_of
from .sentences import Clause

NONE_SUCH = re.compile(r"\s*(?:根本|压根|其实|并|也)?没有(?:这个|这种|这款|这样|此|该)|\s*(?:and |but )?there is no such")
CATALOG = ("ali-families-zh", "ali-gpu-families-zh", "ali-ebm-zh")
NAMING = ("ali-families-zh", "ali-naming-zh")


def judge_names(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Existence of every family and type named, those only compared with included."""
    for mention in [*clause.mentions, *clause.compared]:
        if mention.kind == "family":
            yield from _family(clause, mention, voice)
        elif mention.kind == "type":
            yield from _type(clause, mention, voice)
        elif mention.kind == "phantom":
            yield Finding(mention.start, mention.end, "P5", true_if(clause.denied), voice.say("card_phantom"), ("ali-retired-zh", "ali-gpu-families-zh"))  # fmt: skip


def denies(clause: Clause, mention: Mention, *, known: bool = False) -> bool:
    """Whether the clause says that the thing named does not exist (a matter of stock does not count). Of a known
    name only a denial right beside it counts."""
    if clause.sentence.rhetorical or says("denial", "stock", clause.text):
        return False
    place = mention.start - clause.start
    before = clause.text[max(0, place - 40) : place].rstrip(" \"'“‘`")
    for match in cue("denial", "before").finditer(before):
        if match.end() == len(before):
            return True
    if known:
        return cue("denial", "after").match(clause.text, mention.end - clause.start) is not None
    if says("denial", "strong", clause.text):
        return True
    return any(
        item.denied and says("denial", "clause", item.text)
        for item in [clause, *_going_on(clause)]
    )


def _going_on(clause: Clause) -> list[Clause]:
    """The later clauses of the sentence that speak of the same names by a pronoun ("…; they are not real")."""
    later = [item for item in clause.sentence.clauses if item.start >= clause.end]
    return [
        item
        for item in later
        if not item.of("family") and (cue("pronoun", "start").match(item.text.strip()) or NONE_SUCH.match(item.text))
    ]


def _family(clause: Clause, mention: Mention, voice: Voice) -> Iterator[Finding]:
    name, row = mention.value, family(mention.value)
    denied = denies(clause, mention, known=row is not None and row.status != "name_only")
    if row is None and is_cpu(name):
        yield from _cpu(clause, mention, voice)
    elif row is None:
        fact, source_ids = unknown_family(name, voice)
        verdict: Verdict = "true" if denied else "not_in_catalog"
        yield Finding(mention.start, mention.end, name, verdict, fact, source_ids)
    elif row.status == "name_only":
        fact = voice.say("family_name_only", name=name)
        yield Finding(
            mention.start,
            mention.end,
            name,
            _verdict_name_only(clause, denied),
            fact,
            row.source_ids,
        )
    elif denied or (not clause.denied and _says_exists(clause, mention)):
        summary = voice.pick(row.summary_zh, row.summary_en)
        fact = voice.say("family_exists", name=name, summary=summary)
        yield Finding(clause.start, clause.end, name, true_if(not denied), fact, row.source_ids)
    if row is not None and row.kind == "cpu":
        yield from _cpu(clause, mention, voice)


def _verdict_name_only(clause: Clause, denied: bool) -> Verdict:
    """True for "an API name only"; "does not exist" is too strong for a name that an API knows."""
    if says("denial", "strong", clause.text):
        return "true"
    return "partly" if denied else "not_in_catalog"


def unknown_family(name: str, voice: Voice) -> tuple[str, tuple[str, ...]]:
    """What to say of a family that is in no catalog."""
    row = not_family(name)
    if row is not None:
        more = voice.pick(f"：{row.fact_zh}", f": {row.fact_en}")
        return voice.say("family_unknown", name=name, more=more), row.source_ids
    near = nearest_families(name)
    tail = voice.say("nearest", names=voice.list(near)) if near else ""
    return voice.say("family_unknown", name=name, more=voice.pick("。", ".") + tail), CATALOG


def _says_exists(clause: Clause, mention: Mention) -> bool:
    if clause.of("card"):
        return False  # "gn8v 是 H100 机型" speaks of the card
    after = clause.text[mention.end - clause.start :]
    return cue("exists").search(after[:50]) is not None


def _cpu(clause: Clause, mention: Mention, voice: Voice) -> Iterator[Finding]:
    """A CPU family called a GPU family, or called what it is."""
    says = _kind_near(clause, mention)
    if says is None:
        return
    row = not_family(mention.value)
    fact = (
        voice.say("family_no_gpu", family=mention.value)
        if row is None
        else voice.pick(row.fact_zh, row.fact_en)
    )
    source_ids = join_sources(row.source_ids if row else NAMING)
    denied = clause.denied and says == "gpu" and not cue("gpu_kind", "cpu").search(clause.text)
    yield Finding(
        clause.start, clause.end, mention.value, true_if(says == "cpu" or denied), fact, source_ids
    )


def _kind_near(clause: Clause, mention: Mention) -> str | None:
    """ "gpu" or "cpu" when the clause calls the family so, None when it says nothing."""
    others = [item for item in clause.of("family", "type") if not is_cpu(item.value)]
    first = max([item.end for item in others if item.end <= mention.start], default=clause.start)
    last = min([item.start for item in others if item.start >= mention.end], default=clause.end)
    begin, end = max(first, mention.start - 24), min(last, mention.end + 40)
    around = clause.text[begin - clause.start : end - clause.start]
    named = cue("gpu_kind", "cpu").search(around)
    if named:
        return "gpu" if negated(around[max(0, named.start() - 8) : named.start()]) else "cpu"
    if cue("compared", "before").search(around) or cue("breaks").search(around):
        return None
    return "gpu" if cue("gpu_kind", "gpu").search(around) else None


def _type(clause: Clause, mention: Mention, voice: Voice) -> Iterator[Finding]:
    row = instance(mention.value)
    denied = denies(clause, mention, known=row is not None)
    if row is not None:
        if denied:
            yield Finding(
                clause.start,
                clause.end,
                mention.value,
                "wrong",
                describe_type(mention.value, voice),
                row.source_ids,
            )
        return
    if f"ecs.{mention.value.removeprefix('ecs.')}" in facts.untold_types():
        return  # the cloud's interface lists it, and tells no more than our tables can use
    known = not_family(mention.value) or not_family(mention.value.removeprefix("ecs."))
    stem = mention.value.removeprefix("ecs.").split(".")[0].split("-")[0]
    if known is not None:
        more, source_ids = voice.pick(f"：{known.fact_zh}", f": {known.fact_en}"), known.source_ids
    elif is_cpu(stem):
        return  # only a part of the CPU types is in the tables
    else:
        types = [item.instance_type for item in types_of(stem)][:3]
        tail = voice.say("type_family", family=stem, types=voice.list(types)) if types else ""
        more, source_ids = voice.pick("。", ".") + tail, CATALOG
    fact = voice.say("type_unknown", name=mention.value, more=more)
    yield Finding(
        mention.start,
        mention.end,
        mention.value,
        "true" if denied else "not_in_catalog",
        fact,
        source_ids,
    )


def describe_type(name: str, voice: Voice) -> str:
    """One sentence on a type of the catalog."""
    row = facts.instances()[name]
    each = row.gpu_memory_gb_each or facts.gpus()[row.gpu_id].memory_gb if row.gpu_id else 0.0
    gpu = voice.say("gpu_none")
    if row.gpu_id:
        gpu = voice.say(
            "gpu_count",
            count=row.gpu_fraction or row.gpu_count,
            card=card_name(row.gpu_id),
            each=sizes([each], voice),
        )
    memory = "?" if row.memory_gib is None else sizes([row.memory_gib], voice)
    return voice.say("type_facts", name=name, vcpu=row.vcpu, memory=memory, gpu=gpu)
