from __future__ import annotations

import re
import shlex
import subprocess
from decimal import Decimal
from itertools import product

import pytest

from knowledge.errors import InputError, UnknownInstance
from knowledge.facts import instances, sources
from knowledge.order_facts import order_rules, quotas
from tools.order.make import make_order
from tools.order.results import Billing, Order
from tools.phrases import Language

LANGUAGES: tuple[Language, ...] = ("zh", "en")
BILLINGS: tuple[Billing, ...] = ("payg", "month", "spot")
ON_SALE = sorted(name for name, row in instances().items() if row.status == "on_sale")
TOKEN = re.compile(r"[A-Za-z0-9._-]+|\$(IMAGE_ID|SECURITY_GROUP_ID|VSWITCH_ID|KEY_PAIR)")


def order(name: str, **how: object) -> Order:
    return make_order(name, **{"region": "cn-hangzhou", "language": "en", **how})  # type: ignore[arg-type]


def words(command: str | None) -> list[str]:
    """The words of the command itself, without comments and the variables that the user fills in."""
    assert command is not None
    split = shlex.split(command.replace("\\\n", " "), comments=True)  # a shell drops an escaped line break
    return split[split.index("aliyun") :]


def options(command: str | None) -> dict[str, str]:
    found = words(command)
    assert found[:3] == ["aliyun", "ecs", "RunInstances"]
    names, values = found[3::2], found[4::2]
    assert len(names) == len(values) == len(set(names)) and all(name.startswith("--") for name in names)
    return {name.removeprefix("--"): value for name, value in zip(names, values, strict=True)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_type_of_the_catalog_has_an_order(language: Language) -> None:
    for (name, row), billing in product(instances().items(), BILLINGS):
        made = order(name, language=language, billing=billing, machines=3)
        orderable = row.status == "on_sale"
        assert (made.cli is not None) is (made.terraform is not None) is orderable
        assert bool(made.how_to_get) is not orderable
        assert bool(made.steps) is orderable
        assert made.nearest is None if orderable else made.nearest in (None, *ON_SALE)
        assert set(made.source_ids) <= set(sources())
        shown = " ".join([*made.steps, *made.cautions, made.how_to_get, made.quota.text if made.quota else ""])
        assert "{" not in shown and "None" not in shown
        if language == "en":
            assert not re.search(r"[一-鿿]", shown)


def test_commands_hold_known_tokens_and_only_check() -> None:
    for name, billing in product(ON_SALE, BILLINGS):
        command = order(name, billing=billing, machines=2, disk_gib=3000).cli
        assert all(TOKEN.fullmatch(word) for word in words(command))
        assert options(command)["DryRun"] == "true" and options(command)["InstanceType"] == name


def test_bash_reads_all_commands() -> None:
    script = "\n".join(
        str(order(name, billing=billing, language=language).cli) for name, billing, language in product(ON_SALE, BILLINGS, LANGUAGES)
    )
    read = subprocess.run(["bash", "-n"], input=script.encode(), capture_output=True, check=False)
    assert (read.returncode, read.stderr) == (0, b"")


def test_terraform_is_hcl() -> None:
    hcl2 = pytest.importorskip("hcl2")
    for name, billing, zone in product(ON_SALE[::7], BILLINGS, (None, "cn-hangzhou-i")):
        text = order(name, billing=billing, zone=zone, machines=4, disk_gib=3000, language="zh").terraform
        read = hcl2.loads(text)
        (resource,) = read["resource"]
        assert name in str(resource) and "alicloud_instance" in str(resource)
        assert len(read["data"]) == (2 if zone else 3) and len(read["variable"]) == 3


@pytest.mark.parametrize(
    ("billing", "holds", "lacks"),
    [
        ("payg", {"InstanceChargeType": "PostPaid"}, {"SpotStrategy", "Period", "AutoPay"}),
        ("spot", {"InstanceChargeType": "PostPaid", "SpotStrategy": "SpotAsPriceGo"}, {"Period", "AutoPay"}),
        ("month", {"InstanceChargeType": "PrePaid", "PeriodUnit": "Month", "Period": "12", "AutoPay": "false"}, {"SpotStrategy"}),
    ],
)
def test_each_way_of_billing(billing: Billing, holds: dict[str, str], lacks: set[str]) -> None:
    made = order("ecs.gn7i-c8g1.2xlarge", billing=billing, months=12)
    found = options(made.cli)
    assert holds.items() <= found.items() and not lacks & set(found)
    assert made.quota is not None and made.quota.quota_id is not None and made.terraform is not None
    part = {"payg": "postpay", "spot": "spot", "month": "prepay"}[billing]
    assert made.quota.quota_id == f"q_ecs_gn7i_{part}_g"
    assert ("SpotAsPriceGo" in made.terraform) is (billing == "spot")
    assert ("period" in made.terraform) is (billing == "month")
    assert made.link.startswith("https://ecs-buy.aliyun.com/")
    assert ("prepay/cn-hangzhou" in made.link) is (billing == "month")


@pytest.mark.parametrize(
    ("name", "machines", "counted", "needed", "quota"),
    [
        ("ecs.gn7e-c16g1.16xlarge", 2, "cards", 8, "q_ecs_gn7e_postpay_g"),
        ("ecs.ebmgn7ex.32xlarge", 2, "cards", 16, "q_ecs_gn7e_postpay_g"),
        ("ecs.gn7-c12g1.3xlarge", 1, "cards", 1, "q_ecs_gn7v_postpay_g"),
        ("ecs.gn8is.4xlarge", 3, "cards", 3, "q_ecs_gn8i_postpay_g"),
        ("ecs.vgn6i-m4-vws.xlarge", 5, "instances", 5, "q_ecs_vgpu_postpay_g"),
        ("ecs.g8i.2xlarge", 2, "vcpu", 16, "q_ecs_enterprise_postpay_c"),
        ("ecs.gn9gc.4xlarge", 2, "cards", 2, None),
    ],
)
def test_quota(name: str, machines: int, counted: str, needed: int, quota: str | None) -> None:
    found = order(name, machines=machines).quota
    assert found is not None
    assert (found.counted, found.needed, found.quota_id) == (counted, needed, quota)
    assert str(needed) in found.text and found.link.endswith("regionId=cn-hangzhou")


@pytest.mark.parametrize(
    ("name", "status", "zh", "en", "nearest"),
    [
        ("ecs.gn8is.4xlarge", "contact_sales", "商务", "sales", "ecs.gn7e-c16g1.4xlarge"),
        ("ecs.gn8v.4xlarge", "contact_sales", "96 GB", "96 GB", "ecs.gn7e-c16g1.8xlarge"),
        ("ecs.gn7s-c8g1.2xlarge", "contact_sales", "商务", "sales", "ecs.gn7i-c8g1.2xlarge"),
        ("ecs.gn9gc.4xlarge", "invite_only", "邀测", "preview", "ecs.gn7e-c16g1.4xlarge"),
        ("ecs.gn5-c4g1.xlarge", "phased_out", "停售", "no longer sold", "ecs.gn7i-c8g1.2xlarge"),
        ("ecs.ebmgn8te.32xlarge", "name_only", "接口", "API name", None),
    ],
)
def test_what_to_do_instead(name: str, status: str, zh: str, en: str, nearest: str | None) -> None:
    found = {language: order(name, language=language) for language in LANGUAGES}
    assert found["zh"].status == status and found["zh"].cli is None
    assert zh in found["zh"].how_to_get and en in found["en"].how_to_get
    if nearest:
        assert found["en"].nearest == nearest and nearest in found["zh"].how_to_get


def test_a_type_that_is_gone_asks_for_no_quota() -> None:
    assert order("ecs.gn5-c4g1.xlarge").quota is None


def test_several_machines_get_rdma_and_a_deployment_set_where_there_is_one() -> None:
    one, two = order("ecs.ebmgn7ex.32xlarge"), order("ecs.ebmgn7ex.32xlarge", machines=2)
    assert "NetworkInterfaceTrafficMode" not in options(one.cli)
    assert options(two.cli)["NetworkInterfaceTrafficMode"] == "HighPerformance"
    assert any("DeploymentSetId" in step for step in two.steps) and any("eRDMA" in step for step in two.steps)
    plain = order("ecs.gn7e-c16g1.16xlarge", machines=2)
    assert "NetworkInterfaceTrafficMode" not in options(plain.cli)
    assert any("no RDMA" in caution for caution in plain.cautions)


@pytest.mark.parametrize(
    ("disk", "system", "data", "word"),
    [(None, 100, 0, "no disk size"), (10, 40, 0, "less has no room"), (500, 500, 0, ""), (5000, 100, 5000, "data disk")],
)
def test_disks(disk: int | None, system: int, data: int, word: str) -> None:
    made = order("gn7i-c8g1.2xlarge", disk_gib=disk)
    found = options(made.cli)
    assert int(found["SystemDisk.Size"]) == system and int(found.get("DataDisk.1.Size", 0)) == data
    assert word in " ".join(made.cautions)
    assert made.terraform is not None and ("data_disks" in made.terraform) is bool(data)


def test_the_price_is_that_of_the_region_and_all_machines() -> None:
    made = order("ecs.gn7i-c8g1.2xlarge", machines=3, region="cn-beijing")
    assert made.price is not None and made.price.region == "cn-beijing" and made.price.as_of
    assert made.total == made.price.amount * 3
    spot = order("ecs.gn7i-c8g1.2xlarge", billing="spot", region="cn-beijing")
    assert spot.price is not None and spot.price.billing == "spot" and spot.price.amount_high is not None
    assert spot.total is None or spot.price.amount == spot.price.amount_high


def test_dollars_and_yuan_are_kept_apart() -> None:
    made = order("ecs.gn7i-c8g1.2xlarge", region="ap-southeast-1", site="intl")
    assert made.price is None or made.price.currency == "USD"
    assert made.link.startswith("https://ecs-buy.alibabacloud.com/")
    assert made.quota is not None and "alibabacloud.com" in made.quota.link


@pytest.mark.parametrize(
    "how",
    [
        {"machines": 0}, {"machines": -1}, {"machines": 10**12}, {"machines": 101},
        {"billing": "month", "months": 0}, {"billing": "month", "months": 13}, {"billing": "month", "months": 10**9},
        {"disk_gib": 0}, {"disk_gib": -5}, {"disk_gib": 10**12},
        {"region": "mars"}, {"region": "cn-hangzhou; rm -rf /"}, {"region": ""},
        {"zone": "cn-beijing-a"}, {"zone": "cn-hangzhou-a; reboot"}, {"zone": "$(id)"}, {"zone": "cn-hangzhou-a\n--Amount 100"},
        {"zone": ""}, {"zone": "a" * 100_000},
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_order_is_one_sentence(how: dict[str, object], language: Language) -> None:
    with pytest.raises(InputError) as refused:
        order("ecs.gn7i-c8g1.2xlarge", language=language, **how)
    assert 0 < len(str(refused.value)) < 400 and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["gn7v", "ecs.gn7i-c8g1.2xlarge; id", "gn7i", "", "ecs.gn12.xlarge", "😀"])
def test_unknown_types_are_refused(name: str) -> None:
    with pytest.raises(UnknownInstance):
        order(name)


@pytest.mark.parametrize(("zone", "region"), [("cn-hangzhou-I", "杭州"), ("us-east-1a", "us-east-1"), ("ｃｎ－hangzhou－i", "cn-hangzhou")])
def test_zones_as_they_are_typed(zone: str, region: str) -> None:
    made = order("gn7i-c8g1.2xlarge", zone=zone, region=region)
    assert made.zone is not None and options(made.cli)["ZoneId"] == made.zone and made.zone.startswith(made.region)


def test_tables_name_families_of_the_catalog() -> None:
    known = {row.family for row in instances().values()} | {"ebmgn8is", "gn8is"}
    assert set(quotas()) <= known
    assert all(set(rule.families) <= known for rule in order_rules().values())
    cited = [row.source_ids for row in quotas().values()] + [rule.source_ids for rule in order_rules().values()]
    assert all(ids and set(ids) <= set(sources()) for ids in cited)


def test_the_nearest_costs_least_among_those_as_large() -> None:
    made = order("ecs.gn8is.4xlarge")
    assert made.nearest is not None
    chosen = instances()[made.nearest]
    price = order(made.nearest).price
    assert price is not None
    for name in ON_SALE:
        row, other = instances()[name], order(name).price
        whole = row.gpu_count and not row.vgpu and row.cpu_arch != "arm64"
        if whole and other and (row.gpu_memory_gb_each or 0) >= 48 and other.currency == "CNY":
            assert Decimal(other.amount) >= price.amount
    assert (chosen.gpu_memory_gb_each or 0) >= 48
