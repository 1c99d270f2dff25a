"""Sides of pictures: 512×1024, (512, 1024), 720p, and a bare 640 beside a network."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .numbers import Number, joined

SMALLEST_SIDE, LARGEST_SIDE = 32, 20_000
"""Pixels of a side: a patch of a transformer is smaller, a satellite picture is cut before it is larger."""
_AREA = re.compile(
    r"(?:(?<![\d.a-z])|(?<=crop)|(?<=size))(?:\d{1,3}\s?[x×*]\s?){0,2}?(?P<width>\d{2,12})\s?(?:px|像素)?\s?(?:[x×*]|by|乘以?)\s?(?P<height>\d{2,12})"
    r"(?:\s?[x×*]\s?(?P<depth>\d{1,5}))?(?![\d.]|\s?k(?![a-z]))"
    r"|(?:crop|size|resolution|裁剪|尺寸|分辨率|大小|shape)\s?(?:为|是|=|:|of)?\s?[(\[]\s?(?P<first>\d{2,12})\s?,\s?(?P<second>\d{2,12})\s?[)\]]"
)
_NAMED = re.compile(r"(?<![\d.a-z])(?P<lines>480|540|576|720|1080|1440|2160)\s?p(?![a-z0-9])|(?<![\d.a-z])(?P<four_k>4k)\s?(?:的)?(?=分辨率|视频|图|画质|video|resolution|images?|pictures?|frames?)")
_WIDTH_OF = {"480": 832, "540": 960, "576": 1024, "720": 1280, "1080": 1920, "1440": 2560, "2160": 3840}
"""Pixels across by lines, 16:9; 480p as the open video models take it (Wan 2.1: `--size 832*480`)."""


def take_areas(lower: str, absurd: list[str]) -> tuple[str, tuple[int, int] | None]:
    """The text with its areas blanked out, and the first of them as (width, height) in the order typed."""
    found: list[tuple[int, int]] = []

    def take(match: re.Match[str]) -> str:
        sides = _sides(match)
        if sides is None:
            return " " * len(match.group()) if match.groupdict().get("depth") else match.group()
        if max(sides) > LARGEST_SIDE:
            absurd.append(f"huge_crop:{match.group().strip()}")
        else:
            found.append(sides)
        return " " * len(match.group())

    lower = _NAMED.sub(take, _AREA.sub(take, lower))
    return lower, found[0] if found else None


def _sides(match: re.Match[str]) -> tuple[int, int] | None:
    groups = match.groupdict()
    if groups.get("lines"):
        return _WIDTH_OF[groups["lines"]], int(groups["lines"])
    if groups.get("four_k"):
        return 3840, 2160
    first, second = int(groups["width"] or groups["first"]), int(groups["height"] or groups["second"])
    if groups["depth"]:
        return _of_three(first, second, int(groups["depth"]))
    return (first, second) if is_picture(first, second) else None


def _of_three(first: int, second: int, third: int) -> tuple[int, int] | None:
    """The picture in batch × height × width or width × height × frames; a volume (128×128×128) is none."""
    if first < 64:
        return (second, third) if is_picture(second, third) else None
    return (first, second) if 2 * third < min(first, second) else None


def is_picture(width: int, height: int) -> bool:
    """Sides of a picture: neither is tiny, nor one far longer than the other (64 × 8192 are sequences of tokens)."""
    return min(width, height) >= 64 and max(width, height) <= 16 * min(width, height)


_ODD_SIDES = (299, 300, 321, 331, 380, 473, 475, 513, 528, 600, 713, 769, 800, 1000, 1333)
"""Sides that published networks take although 32 does not divide them (Inception, EfficientNet, PSPNet, DeepLab, SSD, Faster R-CNN)."""


def find_bare_side(numbers: Sequence[tuple[Number, str | None]], lower: str) -> int | None:
    """The first number without a role that is a usual side of a picture and counts nothing: 640 in "YOLOv8m 640 batch 16"."""
    for number, role in numbers:
        value = number.value
        usual = value in _ODD_SIDES or (value % 32 == 0 and 128 <= value <= 4096)
        if role in (None, "context") and usual and not (number.scale or number.glued or number.negative) and _counts_nothing(lower, number):
            return int(value)
    return None


def _counts_nothing(lower: str, number: Number) -> bool:
    rest = lower[number.end : number.end + 6]
    if re.match(r"\s?(?:的)?图(?!片|像)", rest):  # 512 图: a side, not how many
        return True
    return not joined("bare", "not_after").match(lower, number.end) and not re.match(r"\s?(?:gi?b?|ti?b?|mi?b?|tokens?|epochs?|轮|幅|个|年|月|天|小时|台|块)(?![a-z])", rest)
