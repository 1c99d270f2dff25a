from __future__ import annotations

import pytest

from assistant.answer import Answer, Caution, Citation
from tools.results import Band, Estimate, Recommendation
from ui.blocks import Bars
from ui.plain import plain
from ui.render import answer_blocks, answer_markdown

READ = Citation(
    n=1, source_id="ali-gpu-families-zh", title="GPU 规格族", url="https://x.example/a", published_on="2026-11-30", trust="official", excerpt=""
)
FOREIGN = Citation(n=2, source_id="my-notes", title="笔记", url="", published_on="2025-01-02", trust="user", excerpt="")
ESTIMATE = Estimate(
    job="llm_inference", per_gpu_gib=Band(low=18, best=18.5, high=19), gpus=1, parts={"weights": 14.5, "some_new_part": 4.0}
)


def row(required: float) -> Recommendation:
    return Recommendation(
        instance_type="ecs.x.large", family="x", gpu_id="nvidia-a10", gpu_count=1, gpu_memory_gb_total=24, required_gib_per_gpu=required,
        usable_gib_per_gpu=22, headroom_gib=19.8 - required, fits=True, vcpu=8, memory_gib=30, status="on_sale", catalog_as_of="2026-11-30",
    )  # fmt: skip


def answer(**fields: object) -> Answer:
    return Answer.model_validate({"language": "zh", "kind": "sizing", "text": "**选 `ecs.x.large`** [1]", **fields})


def test_markdown_has_text_cautions_and_linked_sources() -> None:
    given = answer(cautions=[Caution(code="a", text="没有 NVLink。")], citations=[READ, FOREIGN])
    assert answer_markdown(given) == (
        "**选 `ecs.x.large`** [1]\n\n**注意**\n\n- 没有 NVLink。\n\n**来源**\n\n"
        "1. [GPU 规格族](https://x.example/a) — 读取 2026-11-30，official\n2. 笔记 — 发布 2025-01-02，user\n"
    )


def test_a_caution_that_the_text_holds_is_not_said_twice() -> None:
    assert "注意" not in answer_markdown(answer(text="放得下，没有 NVLink。", cautions=[Caution(code="a", text="没有 NVLink。")]))


@pytest.mark.parametrize(("required", "bars"), [(18.5, 1), (30.0, 0)])
def test_memory_is_drawn_against_the_card_it_was_summed_for(required: float, bars: int) -> None:
    blocks = list(answer_blocks(answer(estimate=ESTIMATE, recommendations=[row(required)])))
    assert sum(isinstance(block, Bars) for block in blocks) == bars


def test_bars_name_their_parts_and_the_limit() -> None:
    shown = plain(answer_blocks(answer(estimate=ESTIMATE, recommendations=[row(18.5)])))
    assert "18.5 / 19.8 GiB" in shown and "权重 14.5" in shown and "some new part 4.0" in shown and "上限 19.8" in shown


def test_what_was_struck_out_is_said() -> None:
    assert "ecs.gn99" in plain(answer_blocks(answer(removed=["ecs.gn99"])))
