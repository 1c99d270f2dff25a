"""Whether the hardware that is named is the user's own, not to be rented."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .names import Named


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Owning right before a name (blanked: \\x00) or a size of memory, and words for a place of one's own."""
    before = re.compile(
        r"(?:我们?|咱们?|公司|部门|实验室|学校|家里|宿舍|机房|手头|手里|手上|手边|本地|这边|现在|目前|已经|已|只|就|现)(?:这边|里|上|现在|目前|已经|也|还|就|只|仅|一共|总共)*有[^,.;?!，。；？！\n]{0,14}$"
        r"|(?:^|[,.;!，。；！\n]\s?)有[^,.;?!，。；？！\n]{0,6}$|(?:自己的|自有|自购|自建|现成|闲置|现有|手头|自带)[^,.;?!，。；？！\n]{0,12}$"
        r"|(?<![a-z])(?:i|we)(?:.ve| have| own| already have| only have| just have| 've| got)(?: got| already| only| just)?[^,.;?!\n]{0,18}$"
        r"|(?<![a-z])(?:my|our)(?: own| old| existing| home| local| current| lab's| single| two| four)*[^,.;?!\n]{0,10}$|(?:on-prem|in-house|existing)[^,.;?!\n]{0,12}$"
    )
    place = re.compile(
        r"家里|宿舍|家用|本地(?:机器|服务器|工作站|电脑|显卡|部署的机器)|自己的(?:机器|服务器|电脑|工作站|显卡)|自建(?:机房|服务器|集群)|工作站|笔记本|家用电脑|台式机"
        r"|(?<![a-z])(?:(?:my|our) (?:own |local |home )?(?:box|server|machine|workstation|pc|laptop|rig|desktop|computer|cluster)|on[ -]prem(?:ises)?|homelab|home lab|workstation)(?![a-z])"
    )
    return before, place


_SIZES = re.compile(r"\d{1,4}\s?gi?b?\s?(?:的)?(?:显卡|卡|gpu|内存|显存|ram|vram|memory)")


def is_owned(lower: str, named: Sequence[Named]) -> bool:
    """Whether cards or a machine are owned: "我有两张 3090", "64G 内存的工作站", "my own server". Families and types are rented."""
    before, place = _patterns()
    if any(name.kind in ("family", "instance") for name in named):
        return False
    starts = [name.start for name in named] + [match.start() for match in _SIZES.finditer(lower)]
    return place.search(lower) is not None or any(before.search(lower[max(0, start - 40) : start]) for start in starts)
