from __future__ import annotations

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus
from knowledge.other_facts import speech_models
from tools.jobs.size import size_job
from tools.phrases import Language
from tools.speech.demand import SpeechDemand, SpeechRequest, asr_ask, speech_estimate
from tools.speech.memory import PROGRAMS, SpeechJob, speech_weights
from tools.units import GB, GIB, MIB


def test_weights_as_vllm_logs_them() -> None:
    """`Model loading took 2.8764 GiB`, whisper-large-v3 in fp16 (vLLM issue 20671)."""
    weights = speech_weights(SpeechJob(speech_models()["whisper-large-v3"], "vllm", "fp16"))
    assert weights / GIB == pytest.approx(2.8764, rel=0.002)


# Whisper large-v2 on a V100, beam size 5 (faster-whisper README), MiB by nvidia-smi.
@pytest.mark.parametrize(
    ("program", "precision", "mib", "tolerance"),
    [("faster-whisper", "fp16", 4755, 0.06), ("faster-whisper", "int8", 3091, 0.06), ("openai-whisper", "fp16", 11325, 0.20)],
)
def test_published_memory_of_large(program: str, precision: str, mib: int, tolerance: float) -> None:
    estimate = speech_estimate(SpeechJob(speech_models()["whisper-large-v3"], program, precision))
    assert estimate.per_gpu_gib.best * GIB / MIB == pytest.approx(mib, rel=tolerance)


# "Required VRAM" of the authors, rounded to a gigabyte (whisper-readme).
@pytest.mark.parametrize(
    ("model", "gb"),
    [("whisper-tiny", 1), ("whisper-medium", 5), ("whisper-large-v3", 10), ("whisper-large-v3-turbo", 6)],
)
def test_required_memory_of_the_authors(model: str, gb: float) -> None:
    estimate = speech_estimate(SpeechJob(speech_models()[model], "openai-whisper"))
    assert estimate.per_gpu_gib.best * GIB / GB == pytest.approx(gb, rel=0.2)


def test_batch_beams_and_precision_count() -> None:
    model = speech_models()["whisper-large-v3"]
    plain = speech_estimate(SpeechJob(model, batch=8)).per_gpu_gib.best
    assert speech_estimate(SpeechJob(model, batch=16)).per_gpu_gib.best > plain
    assert speech_estimate(SpeechJob(model, batch=8, beams=1)).per_gpu_gib.best < plain
    assert speech_estimate(SpeechJob(model, precision="int8", batch=8)).per_gpu_gib.best < plain


def test_parts_sum_for_every_model_and_program() -> None:
    for row in speech_models().values():
        for program in PROGRAMS:
            estimate = speech_estimate(SpeechJob(row, program))
            assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_whole_sizing(language: Language) -> None:
    ask = asr_ask(SpeechRequest("whisper large-v3", batch=8, on=("nvidia-t4x1",)), language=language)
    sizing = size_job(ask, solve="batch", language=language)
    assert sizing.checks[0].fits and sizing.solved[0].value > 8
    assert [change.code for change in sizing.changes][0] == "int8"
    said = [*sizing.estimate.assumptions, *(change.what for change in sizing.changes)]
    assert all("{" not in line for line in said)
    assert "WhisperModel('large-v3'" in (sizing.estimate.command or "")


@pytest.mark.parametrize(("model", "program"), [("SenseVoiceSmall", "funasr"), ("Qwen3-ASR-1.7B", "vllm"), ("whisper-small", "faster-whisper")])
def test_default_programs(model: str, program: str) -> None:
    ask = asr_ask(SpeechRequest(model), language="zh")
    assert ask.settings["program"] == program
    validated = not any("未经验证" in line for line in size_job(ask, language="zh").estimate.assumptions)
    assert validated == model.startswith("whisper")


def test_cards_that_cannot() -> None:
    demand = SpeechDemand(SpeechJob(speech_models()["whisper-small"]))
    assert demand.blocked(gpus()["nvidia-p4"]) is None  # CTranslate2 starts at Pascal
    assert demand.blocked(gpus()["nvidia-m40-12gb"]) == "compute_capability"
    assert demand.blocked(gpus()["amd-s7150"]) == "not_cuda"


@pytest.mark.parametrize(("settings", "words"), [({"batch": 0}, "512"), ({"beams": 10**9}, "20"), ({"program": "siri"}, "faster-whisper")])
def test_absurd_input_gets_one_sentence(settings: dict[str, object], words: str) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError) as caught:
            asr_ask(SpeechRequest("whisper", **settings), language=language)  # type: ignore[arg-type]
        assert words in str(caught.value)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_precisions_that_the_program_does_not_load(language: Language) -> None:
    with pytest.raises(InputError, match="int8"):
        asr_ask(SpeechRequest("whisper", precision="int4"), language=language)
    command = speech_estimate(SpeechJob(speech_models()["whisper-large-v3"], "whisper.cpp", "q8_0")).command or ""
    assert "ggml-large-v3-q8_0.bin" in command
