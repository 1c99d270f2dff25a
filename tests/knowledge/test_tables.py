"""Readers of the fact tables: what they convert, and that an error names file and line."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from knowledge.errors import DataError
from knowledge.rows import Claim, PriceRow, Region, SpotRow
from knowledge.tables import read_csv, read_data, read_jsonl, read_path

REGIONS = "region,name_zh,name_en,aliases,mainland,source_id\n"
HANGZHOU = "cn-hangzhou,华东1（杭州）,China (Hangzhou),杭州;华东1,yes,general-knowledge\n"
SPOT = "instance_type,region,zone,currency,spot_per_hour,payg_per_hour,as_of,source_id\n"
CLAIM = (
    '{"id": "A1", "doc": "000", "claim_zh": "甲", "claim_en": "a", "verdict": "wrong", '
    '"fact_zh": "乙", "fact_en": "b", "source_ids": "one; two"}'
)


def test_cells_become_typed_values() -> None:
    (row,) = read_csv(Region, "regions.csv", text=REGIONS + HANGZHOU)
    assert row == Region(
        "cn-hangzhou",
        "华东1（杭州）",
        "China (Hangzhou)",
        ("杭州", "华东1"),
        True,
        "general-knowledge",
    )


def test_columns_may_stand_in_any_order() -> None:
    text = "source_id,region,name_zh,name_en,aliases,mainland\ns,r,中,e,,no\n"
    assert read_csv(Region, "x.csv", text=text) == (Region("r", "中", "e", (), False, "s"),)


@pytest.mark.parametrize(("cell", "value"), [("", None), ("11.630", Decimal("11.630"))])
def test_money_is_decimal_and_empty_is_unknown(cell: str, value: Decimal | None) -> None:
    (row,) = read_csv(SpotRow, "spot.csv", text=f"{SPOT}t,r,z,CNY,1.5,{cell},2024-10-09,s\n")
    assert (row.payg_per_hour, row.spot_per_hour) == (value, Decimal("1.5"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REGIONS.replace("mainland", "onshore") + HANGZHOU, "bad.csv:1: columns"),
        ("", "bad.csv:1: columns"),
        (REGIONS + HANGZHOU + "cn-x,a,b,c,yes\n", "bad.csv:3: 5 cells, expected 6"),
        (REGIONS + HANGZHOU.replace("yes", "ja"), "bad.csv:2: column mainland: cannot read 'ja'"),
        (REGIONS + '"cn-\nx",a,b,c,ja,s\n', "bad.csv:3: column mainland"),
    ],
)
def test_csv_errors_name_file_and_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_csv(Region, "bad.csv", text=text)
    assert str(caught.value).startswith(message)


def test_a_price_that_is_no_number_is_named() -> None:
    text = read_data("prices.csv").replace(",11.63,", ",11.6.3,", 1)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if ",11.6.3," in row)
    with pytest.raises(
        DataError, match=rf"^prices\.csv:{line}: column amount: cannot read '11\.6\.3'"
    ):
        read_csv(PriceRow, "prices.csv", text=text)


def test_jsonl_splits_sources() -> None:
    (row,) = read_jsonl(Claim, "claims.jsonl", text=CLAIM)
    assert row.source_ids == ("one", "two")


@pytest.mark.parametrize(
    "line",
    ['{"id": "A1"', '{"id": "A1"}', "[]", CLAIM.replace('"doc"', '"paper"')],
    ids=["broken", "missing", "list", "unknown key"],
)
def test_jsonl_errors_name_file_and_line(line: str) -> None:
    with pytest.raises(DataError, match=r"^bad\.jsonl:2: "):
        read_jsonl(Claim, "bad.jsonl", text=f"{CLAIM}\n{line}\n")


def test_read_path_takes_both_kinds_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("\ufeff" + REGIONS + HANGZHOU, encoding="utf-8")
    (tmp_path / "c.jsonl").write_text(CLAIM, encoding="utf-8")
    assert read_path(Region, tmp_path / "r.csv")[0].region == "cn-hangzhou"
    assert read_path(Claim, tmp_path / "c.jsonl")[0].id == "A1"
