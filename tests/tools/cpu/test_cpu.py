from __future__ import annotations

import pytest

from knowledge.errors import InputError, UnknownModel
from knowledge.facts import families, instances
from knowledge.other_facts import cpu_families
from tools.cpu.hybrid import HybridDemand, HybridRequest, hybrid_ask
from tools.cpu.size import CpuRequest, size_cpu
from tools.jobs.size import size_job
from tools.phrases import Language
from tools.units import GB, GIB


def test_llama_8b_in_q4_as_its_file() -> None:
    """Llama-3.1-8B Q4_K_M is 4.58 GiB (llamacpp-quantize); cache 128 KiB a token in f16."""
    sizing = size_cpu(CpuRequest("Llama-3.1-8B-Instruct", context=8192))
    assert sizing.estimate.parts["weights"] == pytest.approx(4.58, rel=0.01)
    assert sizing.estimate.parts["kv_cache"] == pytest.approx(1.0, rel=0.01)
    assert sizing.memory_gib > sizing.estimate.per_gpu_gib.best


def test_deepseek_with_experts_in_main_memory_as_published() -> None:
    """671B in Q4_K_M: 382 GB of RAM and 14 GB on the card (ktransformers-deepseek)."""
    ask = hybrid_ask(HybridRequest("DeepSeek-R1"))
    assert isinstance(ask.demand, HybridDemand)
    assert ask.demand.experts_bytes / GB == pytest.approx(382, rel=0.06)
    assert ask.demand.estimate().per_gpu_gib.best * GIB / GB == pytest.approx(14, rel=0.20)
    sizing = size_job(ask, solve="context")
    hosts = [instances()[row.instance_type].memory_gib for row in sizing.advice.recommendations]
    assert hosts and all(memory is None or memory >= ask.demand.ram_gib for memory in hosts)
    assert sizing.solved[0].value > 8192


@pytest.mark.parametrize("model", ["Qwen2.5-7B-Instruct", "Llama-3.1-70B-Instruct"])
def test_models_without_experts_are_refused(model: str) -> None:
    for language, word in (("zh", "MoE"), ("en", "experts")):
        with pytest.raises(InputError, match=word):
            hybrid_ask(HybridRequest(model), language=language)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_families_and_why_not(language: Language) -> None:
    sizing = size_cpu(CpuRequest("bert-base-chinese", families=("g7se", "ecs.gn6i-c4g1.xlarge", "gn99")), language=language)
    first = sizing.families[0]
    assert first.fits and first.family in ("c8i", "c9i") and first.kernels == "amx"
    assert instances()[first.instance_type or ""].memory_gib == first.memory_gib
    reasons = {row.family: row.reason for row in sizing.not_suited}
    assert ("存储增强" if language == "zh" else "storage-enhanced") in reasons["g7se"]
    assert "GPU" in reasons["gn6i"]
    assert "gn99" in reasons["gn99"]
    said = [*sizing.assumed, *sizing.cautions, *sizing.estimate.assumptions, *(row.reason for row in sizing.families)]
    assert all("{" not in line for line in said)


def test_a_model_too_large_for_a_family_says_so() -> None:
    sizing = size_cpu(CpuRequest("DeepSeek-R1"), language="zh")
    by_family = {row.family: row for row in sizing.families}
    assert by_family["g8i"].fits and not by_family["c8y"].fits
    assert "256" in by_family["c8y"].cautions[0]
    assert by_family["r8i"].instance_type is None and "1:8" in by_family["r8i"].cautions[0]


def test_speed_is_a_range_that_grows_with_the_share() -> None:
    speeds = [row.tokens_per_s for row in size_cpu(CpuRequest("Qwen3-30B-A3B")).families if row.tokens_per_s]
    dense = [row.tokens_per_s for row in size_cpu(CpuRequest("Qwen2.5-32B-Instruct")).families if row.tokens_per_s]
    assert all(0 < speed.low < speed.high for speed in speeds + dense)
    assert max(s.high for s in speeds) > 3 * max(s.high for s in dense)  # 3B of 30B are read for a token
    assert size_cpu(CpuRequest("bge-m3")).families[0].tokens_per_s is None


@pytest.mark.parametrize(("model", "engine"), [("whisper-small", "faster-whisper"), ("bge-m3", "onnxruntime"), ("Qwen2.5-7B", "llama.cpp")])
def test_kinds_of_models(model: str, engine: str) -> None:
    sizing = size_cpu(CpuRequest(model))
    assert sizing.settings["engine"] == engine and sizing.estimate.job == "cpu_inference" and sizing.estimate.gpus == 0
    assert sum(sizing.estimate.parts.values()) == pytest.approx(sizing.estimate.per_gpu_gib.best)
    assert sizing.estimate.command


def test_changes_save_and_are_said() -> None:
    sizing = size_cpu(CpuRequest("Qwen2.5-7B", precision="bf16", context=32768, concurrency=4), language="zh")
    assert {"int8", "q4_k_m", "context", "concurrency"} <= {row.code for row in sizing.changes}
    assert all(row.saves_gib > 0 for row in sizing.changes)


def test_table_of_families_agrees_with_the_catalog() -> None:
    for name, row in cpu_families().items():
        types = [i for i in instances().values() if i.family == name]
        if name in families():
            assert families()[name].kind == "cpu"
            ratios = {(i.memory_gib or 0) / i.vcpu for i in types if i.vcpu < 192}
            assert ratios <= {float(row.gib_per_vcpu)}, name
        else:
            assert not types


@pytest.mark.parametrize("settings", [{"context": 0}, {"context": 10**12}, {"concurrency": -1}])
def test_absurd_input_gets_one_sentence(settings: dict[str, int]) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError) as caught:
            size_cpu(CpuRequest("Qwen2.5-7B", **settings), language=language)  # type: ignore[arg-type]
        assert "10,000" in str(caught.value)


def test_unknown_models_are_refused() -> None:
    with pytest.raises(UnknownModel):
        size_cpu(CpuRequest("no such model"))


@pytest.mark.parametrize(("said", "file"), [("int4", "Q4_K_M"), ("awq", "Q4_K_M"), ("nf4", "Q4_K_M"), ("int8", "Q8_0"), ("fp8", "Q8_0"), ("q5_k_m", "Q5_K_M"), ("bf16", "BF16")])
def test_widths_stand_for_the_files_that_llama_cpp_loads(said: str, file: str) -> None:
    assert f"-{file}.gguf" in (size_cpu(CpuRequest("Qwen2.5-7B-Instruct", precision=said)).estimate.command or "")


@pytest.mark.parametrize(
    ("model", "said", "word"),
    [("Qwen2.5-7B-Instruct", {"engine": "vllm"}, "llama.cpp"), ("bge-m3", {"precision": "int4"}, "int8"), ("whisper-small", {"precision": "int4"}, "int8")],
)
def test_programs_and_precisions_that_do_not_exist_on_a_cpu(model: str, said: dict[str, str], word: str) -> None:
    with pytest.raises(InputError, match=word):
        size_cpu(CpuRequest(model, **said))  # type: ignore[arg-type]


@pytest.mark.parametrize(("model", "call"), [("whisper-small", "compute_type='int8'"), ("SenseVoiceSmall", "funasr"), ("Qwen3-ASR-1.7B", "transformers")])
def test_speech_runs_with_the_program_of_its_kind(model: str, call: str) -> None:
    assert call in (size_cpu(CpuRequest(model)).estimate.command or "")
