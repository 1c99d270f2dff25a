"""Questions about vision networks, diffusion and speech, Chinese and English side by side."""

from time import process_time
from typing import Any

import pytest

from assistant.read.read import read_question


@pytest.mark.parametrize(
    ("text", "job", "task"),
    [
        ("训练 SegFormer-B5 要多少显存", "vision_training", "segmentation"), ("How much VRAM to train SegFormer-B5?", "vision_training", "segmentation"),
        ("语义分割训练用什么卡", "vision_training", "segmentation"), ("train a semantic segmentation network", "vision_training", "segmentation"),
        ("目标检测推理用什么卡", "vision_inference", "detection"), ("serve an object detection model", "vision_inference", "detection"),
        ("图像分类训练", "vision_training", "classification"), ("image classification training", "vision_training", "classification"),
        ("ResNet-50 推理", "vision_inference", "classification"), ("ResNet-50 inference", "vision_inference", "classification"),
        ("ResNet-50 做目标检测训练", "vision_training", "detection"), ("train ResNet-50 for object detection", "vision_training", "detection"),
        ("YOLOv8m batch 16 640", "vision_training", "detection"), ("SegFormer-B0 batch 能开多大，T4", "vision_training", "segmentation"), ("largest batch for SegFormer-B0 on a T4?", "vision_training", "segmentation"), ("Mask2Former Swin-L 推理", "vision_inference", "segmentation"), ("mmseg 训练显存不够", "vision_training", None),
        ("用 CPU 跑 ResNet-50", "cpu_inference", "classification"), ("ResNet-50 on a CPU", "cpu_inference", "classification"), ("在 32 核 CPU 上跑 YOLOv8m", "cpu_inference", "detection"),
    ],
)  # fmt: skip
def test_vision_jobs(text: str, job: str, task: str | None) -> None:
    reading = read_question(text)
    assert (reading.job, reading.task) == (job, task)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("训练 SegFormer-B5，每卡 2 张图，裁剪 512×1024，150 类", {"batch": 2, "crop": (512, 1024), "classes": 150}), ("Train SegFormer-B5, 2 images per GPU, crop 512x1024, 150 classes", {"batch": 2, "crop": (512, 1024), "classes": 150}),
        ("训练 DeepLabV3+ crop 769 bs=8", {"crop": (769, 769), "batch": 8}), ("train DeepLabV3+ at 769x769, bs=8", {"crop": (769, 769), "batch": 8}),
        ("训练 UNet 1024*1024 类别数 7", {"crop": (1024, 1024), "classes": 7}), ("train UNet on 1024 by 1024 tiles, 4 per GPU, num_classes=7", {"crop": (1024, 1024), "batch": 4, "classes": 7}),
        ("UNet 512 输入 训练", {"crop": (512, 512), "context": None}), ("UNet input 512 training", {"crop": (512, 512), "context": None}), ("YOLOv8m 640 batch 16", {"crop": (640, 640), "batch": 16}), ("YOLOv8m imgsz=1280 batch=8", {"crop": (1280, 1280), "batch": 8}),
        ("训练 ViT-L 384 分辨率 batch 64", {"crop": (384, 384), "batch": 64}), ("train ViT-L at 384, batch 64", {"crop": (384, 384), "batch": 64}), ("ResNet-50 3×224×224 训练 batch 256", {"crop": (224, 224), "batch": 256}), ("train ResNet-50, 8x3x224x224", {"crop": (224, 224)}),
        ("crop_size=(512, 1024) 训练 HRNet", {"crop": (512, 1024)}), ("训练 HRNet，AMP", {"amp": True}), ("train HRNet with mixed precision", {"amp": True}), ("fp16 训练 HRNet", {"amp": True}), ("train HRNet in fp32", {"amp": False}),
        ("训练 HRNet，不用混合精度", {"amp": False, "weight_dtype": "fp32"}), ("train HRNet without AMP", {"amp": False, "weight_dtype": "fp32"}), ("HRNet 训练 batch 4 梯度累积 4", {"batch": 4, "accumulate": 4}), ("HRNet training batch 4 gradient accumulation 4", {"batch": 4, "accumulate": 4}),
        ("1080p 视频上跑 YOLOv8m", {"crop": (1920, 1080)}), ("YOLOv8m on 1080p video", {"crop": (1920, 1080)}), ("在线推理 ResNet-50，QPS 500", {"qps": 500.0, "inference": True}), ("ResNet-50 serving, 500 images per second", {"qps": 500.0, "inference": True}),
        ("训练 SegFormer", {"inference": False}), ("SegFormer 1024x1024 batch 2", {"inference": None}), ("nnU-Net 128×128×128 训练", {"crop": None}), ("训练 FCN，每卡零点五张", {"lora_rank": None}),
    ],
)  # fmt: skip
def test_settings_of_vision(text: str, fields: dict[str, Any]) -> None:
    reading = read_question(text)
    assert {name: getattr(reading, name) for name in fields} == fields
    assert (reading.concurrency, reading.context, reading.absurd) == (None, None, [])


@pytest.mark.parametrize(
    ("text", "networks"),
    [
        ("DeepLabV3+ R-101 还是 SegFormer-B5 训练更省显存", ["DeepLabV3+ R-101", "SegFormer-B5"]), ("MobileNet 和 SegFormer、Mask2Former", ["MobileNet", "SegFormer", "Mask2Former"]), ("train UNet or HRNet", ["UNet", "HRNet"]),
        ("UPerNet with a Swin-B backbone", ["UPerNet Swin-B"]), ("训练 mmseg 里的 PSPNet", ["PSPNet"]), ("nnU-Net 3d_fullres", ["nnU-Net 3d_fullres"]), ("mmseg 训练", []), ("Qwen2.5-VL 的 ViT", []),
    ],
)  # fmt: skip
def test_networks_as_typed(text: str, networks: list[str]) -> None:
    assert read_question(text).networks == networks


def test_a_backbone_said_elsewhere_belongs_to_its_network() -> None:
    assert read_question("以 ResNet-101 为骨干的 DeepLabV3+ 训练").networks[0].startswith("DeepLabV3+ ResNet-101")


@pytest.mark.parametrize("text", ["训练一个语义分割网络要多大显存", "how much VRAM to train a segmentation network?"])
def test_vision_without_a_network_misses_it(text: str) -> None:
    reading = read_question(text)
    assert (reading.job, reading.missing) == ("vision_training", ["network"] if "sizing" in reading.intents else [])


@pytest.mark.parametrize(
    ("text", "code"),
    [("训练 SegFormer crop 0", "zero_quantity"), ("train SegFormer with crop 10^9", "huge_crop"), ("训练 SegFormer 100000×100000", "huge_crop"), ("-512 crop SegFormer", "negative_quantity"), ("每卡零张图 SegFormer 训练", "zero_quantity"), ("SegFormer batch -2", "negative_quantity"), ("beam 0 whisper", "zero_quantity"), ("0 帧 Wan2.2", None)],
)
def test_absurd_sizes(text: str, code: str | None) -> None:
    assert [fault.partition(":")[0] for fault in read_question(text).absurd] == ([code] if code else [])


@pytest.mark.parametrize(
    ("text", "job", "fields"),
    [
        ("FLUX.1-dev 1024x1024 出图 28 步", "diffusion_inference", {"resolution": (1024, 1024), "steps": 28, "crop": None}), ("FLUX.1-dev, 1024x1024, 28 steps", "diffusion_inference", {"resolution": (1024, 1024), "steps": 28, "crop": None}),
        ("SDXL 1024 一次出 4 张", "diffusion_inference", {"resolution": (1024, 1024), "batch": 4}), ("SDXL at 1024, 4 images per prompt", "diffusion_inference", {"resolution": (1024, 1024), "batch": 4}),
        ("Wan2.2 14B 720P 81 帧", "diffusion_inference", {"resolution": (1280, 720), "frames": 81, "context": None}), ("Wan2.2 14B at 720p, 81 frames", "diffusion_inference", {"resolution": (1280, 720), "frames": 81, "context": None}),
        ("文生视频 HunyuanVideo 480P 5 秒", "diffusion_inference", {"resolution": (832, 480), "video_seconds": 5.0}), ("a 5-second video with HunyuanVideo", "diffusion_inference", {"video_seconds": 5.0}),
        ("CogVideoX-5B 49 frames with model cpu offload", "diffusion_inference", {"frames": 49, "offload": "model", "diffusion_models": ["CogVideoX-5B"]}), ("CogVideoX-5B 49 帧 sequential offload", "diffusion_inference", {"frames": 49, "offload": "sequential"}),
        ("SDXL LoRA 训练 1024 rank 32 batch 2", "diffusion_training", {"method": "lora", "lora_rank": 32, "batch": 2, "resolution": (1024, 1024)}), ("train an SDXL LoRA at 1024, rank 32, batch 2", "diffusion_training", {"method": "lora", "lora_rank": 32, "batch": 2, "resolution": (1024, 1024)}),
        ("SD 1.5 DreamBooth 512", "diffusion_training", {"resolution": (512, 512)}), ("文生图用什么卡", "diffusion_inference", {}), ("text to image on which GPU?", "diffusion_inference", {}), ("FLUX.1-schnell 4 步", "diffusion_inference", {"steps": 4, "diffusion_models": ["FLUX.1-schnell"]}),
        ("Whisper large-v3 beam 5 batch 8", "asr_inference", {"beam": 5, "batch": 8, "speech_models": ["Whisper large-v3"]}), ("whisper large-v3, beam size 5, batch 8", "asr_inference", {"beam": 5, "batch": 8}), ("语音识别用什么卡", "asr_inference", {}), ("speech recognition on which card?", "asr_inference", {}),
        ("whisper 转写 100 小时录音", "asr_inference", {"hours": None}), ("transcribe 100 hours of audio with whisper", "asr_inference", {"hours": None}), ("faster-whisper medium int8", "asr_inference", {"wish": None}), ("SenseVoice 部署", "asr_inference", {"speech_models": ["SenseVoice"]}),
        ("BGE-M3 向量服务 QPS 100", "encoder_inference", {"qps": 100.0}), ("BGE-M3 embedding, 100 requests per second", "encoder_inference", {"qps": 100.0}), ("重排模型用什么卡", "encoder_inference", {}), ("a reranker at 30 QPS", "encoder_inference", {"qps": 30.0}),
        ("BERT 推理 512 token batch 64", "encoder_inference", {"context": 512, "batch": 64}), ("微调 BERT", "llm_training", {}), ("fine-tune bge-large", "llm_training", {}), ("gte-Qwen2-7B-instruct 向量", "encoder_inference", {}),
        ("chroma 向量库放哪", None, {"diffusion_models": []}), ("WAN 带宽要多大", None, {"diffusion_models": []}),
    ],
)  # fmt: skip
def test_other_jobs(text: str, job: str | None, fields: dict[str, Any]) -> None:
    reading = read_question(text)
    assert reading.job == job
    assert {name: getattr(reading, name) for name in fields} == fields


@pytest.mark.parametrize("text", ["SegFormer 训练，81 帧 50 步", "SegFormer training, beam 5, r=16, 81 frames"])
def test_what_a_job_has_no_use_for_is_dropped(text: str) -> None:
    reading = read_question(text)
    assert (reading.frames, reading.steps, reading.beam) == (None, None, None)


@pytest.mark.parametrize("word", ["resnet ", "upernet swin ", "flux ", "bert ", "crop 512 ", "rank ", "最多能开多长", "我有"])
def test_a_long_text_of_names_is_read_in_time(word: str) -> None:
    start = process_time()
    read_question(word * (10_000 // len(word)))
    assert process_time() - start < 3
