"""Cards, families and instance types named in a text, those that only look like one included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from knowledge.facts import families, gpus, instances, not_families
from knowledge.kept import kept
from tools.cards import CardMention, find_mentions

from .lexicon import read_table
from .normalise import parse_number
from .reading import NameMention

_NUMBER = r"\d{1,3}|[一二两三四五六七八九十]{1,3}|双|单|one|two|three|four|five|six|seven|eight|ten|sixteen|a single|single|dual"
_GIB = r"(?<![\d一二三四五六七八九十百])(?P<gib>\d{1,4}(?:\.\d)?|[二三四五六七八九十百]{1,5}(?=\s?g))\s?(?:gi?b?(?![a-z0-9])|吉)"

_SOLD = "6|8|10|11|12|16|20|22|24|32|40|48|72|80|96|141|180"
"""Sizes of memory that cards have: said alone ("24G 够吗", "what about 48GB?"), they mean the card."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name and the stretch of text it takes, memory size and count included."""

    kind: str  # card | family | instance | memory
    start: int
    end: int
    mention: NameMention


@dataclass(frozen=True, slots=True)
class _Patterns:
    instance: re.Pattern[str]
    family: re.Pattern[str]
    foreign_card: re.Pattern[str]
    accelerator: re.Pattern[str]
    count_before: re.Pattern[str]
    count_after: re.Pattern[str]
    memory_after: re.Pattern[str]
    memory_before: re.Pattern[str]
    bare_memory: re.Pattern[str]


@kept
def _patterns() -> _Patterns:
    known = sorted({*families(), *not_families()}, key=len, reverse=True)
    plain = "|".join(re.escape(name) for name in known if not name.startswith("ecs."))
    gpu_like = r"(?:ebm|scc|hf|cgn|s|v|i)?gn\d{1,3}[a-z]{0,4}(?:-(?:vws|tee|tdx|inc|2x|4x|8x))?"
    return _Patterns(
        instance=re.compile(
            r"(?<![a-z0-9.])(?:ecs\.[a-z][a-z0-9]{1,15}(?:-[a-z0-9]{1,8}){0,3}(?:\.[a-z0-9]{2,12})?"
            r"|(?:[a-z]{0,4}g[na]\d{1,3}[a-z]{0,4}|[cgr]\d[a-z]{0,3})(?:-[a-z0-9]{1,8}){0,3}\.(?:\d{0,3}x?large|small|medium))(?![a-z0-9])"
        ),
        family=re.compile(rf"(?<![a-z0-9.])(?:{plain}|{gpu_like})(?![a-z0-9]|-c\d)"),
        foreign_card=re.compile(
            r"(?<![a-z0-9.\-])(?:(?:nvidia|tesla|英伟达|rtx|gtx|geforce|quadro|radeon)[ -]?(?!driver|smi)(?:pro )?[a-z]{0,2}\d{2,4}[a-z]{0,2}(?: ?ti| ?super| ?ada)?"
            r"|[1-6]0[5-9]0(?: ?ti| ?super)?(?=\s?(?:\d{1,2}\s?g|显卡|gpu|上|跑|的卡|卡))"
            r"|[abghlmpv]\d{2,4}[a-z]?(?=\s?(?:显卡|gpu|的卡|卡|\d{2,3}\s?g)))(?![a-z0-9])"
        ),
        accelerator=re.compile(rf"(?<![a-z0-9.\-])(?:{'|'.join(read_table('accelerators')['patterns'])})(?![a-z0-9])"),
        count_before=re.compile(
            rf"(?:(?<![\d.a-z])(?P<n>{_NUMBER})\s?(?:张|块|片|个|卡|路|x|×|\*|-?way|台|of the|pieces? of)?\s?(?:的)?\s?(?:(?:nvidia|tesla|英伟达|\d{{2,3}}\s?gi?b?)\s?的?)?\s?)$"
        ),
        count_after=re.compile(
            r"s?\s?(?:显卡)?\s?(?:[x×*]\s?(?P<n>\d{1,3})(?![\d.a-z])|(?P<m>\d{1,2}|[一二两三四五六七八双单])\s?(?:张|卡|块)(?!\d))"
        ),
        memory_after=re.compile(
            r"s?[\s\-_(/:]{0,3}(?:(?:sxm\d?|pcie|nvlink|显卡|卡|each|单卡|每张|有|是不是|是否|是|配|带|with|has|comes with|显存|版|的|gpu|,)\s?){0,3}[\s\-_(]?"
            + _GIB + r"(?!\s?(?:/s|per|内存|ram|memory on the host|系统盘|磁盘|disk))"
        ),
        memory_before=re.compile(_GIB + r"\s?(?:显存|版|的){0,2}[\s\-_]{0,2}(?:nvidia|tesla|rtx)?\s?$"),
        bare_memory=re.compile(
            rf"(?<![\d.a-z])(?:(?P<n>{_NUMBER})\s?(?:张|块|x|×|\*|个)?\s?(?:的)?\s?)?" + _GIB
            + r"\s?(?:的)?(?:显存)?(?:的)?\s?(?:显卡|gpu|卡|cards?|vram|显存|per gpu|per card|each)(?![a-z])"
            rf"|(?<![\d.a-z])(?P<n2>{_NUMBER}|几)\s?(?:张|块|x|×|\*)\s?(?P<gib2>\d{{2,3}})\s?gi?b?(?![a-z0-9])"
            r"|(?:单卡|每卡|每张|显存|显卡|gpu|vram)(?:只有|是|有|才)?\s?(?P<gib3>\d{2,3})\s?gi?b?(?![a-z0-9])"
            rf"|(?<![\d.a-z])(?<!内存 )(?<!内存)(?<!盘 )(?<!盘)(?<!ram )(?<!disk )(?P<gib4>{_SOLD})\s?gi?b?\s?(?:的)?(?:够吗|够么|够不够|够用|行吗|行不行|可以吗|能跑|能不能|能放下|放得下| enough| sufficient| possible| ok(?![a-z])| do(?=\s?\?))"
            rf"|^(?:(?:那|换成?|改成?|用|要是|如果|只有|and|what about|how about|if|on|with|only|an?|is)\s?){{0,4}}(?P<gib5>{_SOLD})\s?gi?b?\s?(?:的|呢|可以|行|够|吗|吧|card|cards|gpu){{0,3}}\W{{0,3}}$"
        ),
    )  # fmt: skip


def find_names(lower: str) -> list[Named]:
    """Names in lower-case text, in order, never overlapping: instances first, then families, cards, bare sizes."""
    patterns = _patterns()
    found = [_instance(lower, match) for match in patterns.instance.finditer(lower)]
    open_text = blank(lower, found)
    found += [_family(lower, match) for match in patterns.family.finditer(open_text)]
    open_text = blank(lower, found)
    found += [_card(open_text, mention) for mention in find_mentions(open_text)]
    open_text = blank(lower, found)
    for pattern in (patterns.accelerator, patterns.foreign_card):
        found += [_foreign_card(open_text, match) for match in pattern.finditer(open_text)]
        open_text = blank(lower, found)
    found += [_bare_memory(match) for match in patterns.bare_memory.finditer(open_text)]
    return sorted(found, key=lambda named: named.start)


def blank(text: str, found: list[Named]) -> str:
    """The text with the stretches of the names blanked out, same length."""
    for named in found:
        text = text[: named.start] + "\x00" * (named.end - named.start) + text[named.end :]
    return text


def _instance(lower: str, match: re.Match[str]) -> Named:
    text = match.group().rstrip(".")
    name = text if text.startswith("ecs.") else f"ecs.{text}"
    family = name.removeprefix("ecs.")
    if family in families() or (family in not_families() and family.isalnum()):  # ecs.gn7i: the prefix alone
        return Named("family", match.start(), match.end(), _mention(text, family, family in families()))
    return Named("instance", match.start(), match.end(), _mention(text, name, name in instances(), count=_machines(lower, match)))


def _machines(lower: str, match: re.Match[str]) -> int | None:
    """How many machines of a type: "2 台 ecs.gn7e-…", "three gn7i-…"; cards counted before it are no machines."""
    many = _ORDERED.search(lower[max(0, match.start() - 24) : match.start()])
    if many:
        return _whole(parse_number(many["n"].replace(",", "")))
    count, start, _ = _count(lower, match.start(), match.end())
    return None if count is None or re.search(r"[张块片卡路]|way", lower[start : match.start()]) else count


_ORDERED = re.compile(
    r"(?:(?<![a-z])(?:order|buy|rent|launch|create|get|need|want)|买|订|租|开|要|下单)\s?(?P<n>\d{1,3}(?:,\d{3})+|\d{4,6})\s?(?:台|个|x|×|\*|of)?\s?$"
)
"""Thousands behind a word of ordering count machines; elsewhere such a number beside a type may be anything."""


def _family(lower: str, match: re.Match[str]) -> Named:
    name = match.group()
    count, _, _ = _count(lower, match.start(), match.end())
    known = name in families()
    return Named("family", match.start(), match.end(), _mention(name, name, known, count=count))


def _card(lower: str, mention: CardMention) -> Named:
    end = mention.end
    if not any(c.isdigit() for c in mention.text):  # 昇腾 910B: a brand alone, its number behind it
        number = re.compile(r"\s?\d{3}[a-z]?(?![a-z0-9])").match(lower, end)
        end = number.end() if number else end
    memory, start, end = _memory(lower, mention.start, end, mention.text)
    count, start, end = _count(lower, start, end)
    ids = [gpu.gpu_id for gpu in mention.cards if "variant" not in gpu.name or gpu.memory_gb == memory]
    fitting = [gpu_id for gpu_id in ids if memory is not None and gpus()[gpu_id].memory_gb == memory]
    name = (fitting or ids or [_slug(lower[mention.start : mention.end])])[0]
    card = NameMention(
        text=lower[start:end].strip(), name=name, known=bool(ids), memory_gb=memory, count=count,
        alternatives=(fitting or ids)[1:] if ids else [gpu.gpu_id for gpu in mention.cards],
    )  # fmt: skip
    return Named("card", start, end, card)


def _slug(text: str) -> str:
    """Name of a card that the table lacks, as typed: rtx-4090."""
    return re.sub(r"[\s_]+", "-", re.sub(r"^\d{1,2}\s?[x×*]\s?", "", text.strip()))


def _foreign_card(lower: str, match: re.Match[str]) -> Named:
    memory, start, end = _memory(lower, match.start(), match.end(), match.group())
    count, start, end = _count(lower, start, end)
    name = match.group().strip().replace(" ", "-")
    card = NameMention(text=lower[start:end].strip(), name=name, known=False, memory_gb=memory, count=count)
    return Named("card", start, end, card)


def _bare_memory(match: re.Match[str]) -> Named:
    size = _size(next(match[name] for name in ("gib", "gib2", "gib3", "gib4", "gib5") if match[name]))
    number = parse_number(match["n"] or match["n2"] or "")
    card = NameMention(text=match.group().strip(), name="", known=False, memory_gb=size, count=_whole(number))
    return Named("memory", match.start(), match.end(), card)


def _mention(text: str, name: str, known: bool, *, count: int | None = None) -> NameMention:
    return NameMention(text=text, name=name, known=known, count=count)


def _memory(lower: str, start: int, end: int, text: str) -> tuple[float | None, int, int]:
    """The size typed beside a card, and the stretch that holds both."""
    inside = re.search(r"(?<![a-z0-9])(\d{2,3})\s?gi?b?$", text)
    if inside:
        return float(inside[1]), start, end
    after = _patterns().memory_after.match(lower, end)
    if after:
        return _size(after["gib"]), start, after.end()
    before = _patterns().memory_before.search(lower[max(0, start - 20) : start])
    if before:
        return _size(before["gib"]), max(0, start - 20) + before.start(), end
    return None, start, end


def _count(lower: str, start: int, end: int) -> tuple[int | None, int, int]:
    """How many of it, and the stretch that holds name and count."""
    after = _patterns().count_after.match(lower, end)
    if after:
        return _whole(parse_number(after["n"] or after["m"])), start, after.end()
    inside = re.match(r"(\d{1,3})\s?[x×*]\s?", lower[start:end])
    if inside:
        return int(inside[1]), start, end
    begin = max(0, start - 24)
    before = _patterns().count_before.search(lower[begin:start])
    number = _whole(parse_number(before["n"].removeprefix("a "))) if before else None
    if before is None or number is None or _of_another_role(lower[: begin + before.start("n")]):
        return None, start, end
    return number, begin + before.start(), end


def _of_another_role(before: str) -> bool:
    """Whether a number belongs to the word before it: "batch 32 V100", "并发 8 A10"."""
    return _role_words().search(before[-16:]) is not None


@cache
def _role_words() -> re.Pattern[str]:
    return re.compile(
        r"(?:batch|bs|size|并发|上下文|context|分辨率|crop|seq|tp|cuda|driver|epochs?|users|imgsz|版本)\s?(?:为|是|of|=|:)?\s?$|=$"
    )


def _size(text: str) -> float:
    """A size as typed: 24, 二十四."""
    return parse_number(text) or 0.0


def _whole(number: float | None) -> int | None:
    return int(number) if number is not None and 1 <= number <= 100_000 else None
