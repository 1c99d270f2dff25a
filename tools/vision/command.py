"""The training or inference command that a vision estimate assumes, ready to paste."""

from __future__ import annotations

import re
import shlex

from knowledge.vision_facts import vision_networks

from .job import VisionJob

DETECTION_CONFIGS = {
    "faster-rcnn": "faster_rcnn/faster-rcnn", "mask-rcnn": "mask_rcnn/mask-rcnn", "cascade-rcnn": "cascade_rcnn/cascade-rcnn",
    "cascade-mask-rcnn": "cascade_rcnn/cascade-mask-rcnn", "retinanet": "retinanet/retinanet",
}  # fmt: skip
"""Folder and stem of mmdetection's configs that exist for `r50_fpn_1x_coco` and its other backbones."""
DETECTION_BACKBONES = ("r50", "r101", "x101-32x4d", "x101-64x4d")
RANDOM_CROP = 3
"""Place of RandomCrop in the training pipelines of mmsegmentation 1.x: image, annotation, resize, crop."""
OPTIMIZERS = {"sgd": "SGD", "sgd-plain": "SGD", "adam": "Adam", "adamw": "AdamW", "rmsprop": "RMSprop", "lion": "Lion"}


def command_of(job: VisionJob, *, gpus: int) -> str:
    """One line for `gpus` cards of one machine."""
    network = job.network
    if job.module or network is None:
        return _own_script(job, gpus)
    if network.preset is not None:
        return network.preset.command
    if network.task == "detection":
        return _detection(job, gpus)
    row = vision_networks().get(network.id)
    if network.task == "segmentation" and row is not None and row.config:
        return _open_mmlab(job, row.config, _segmentation_options(job, row.config), gpus)
    return _own_script(job, gpus)


def _detection(job: VisionJob, gpus: int) -> str:
    network = job.network
    assert network is not None
    stem = DETECTION_CONFIGS.get(network.method.method)
    if stem is None or network.backbone not in DETECTION_BACKBONES or network.framework != "mmdet":
        return _own_script(job, gpus)
    config = f"configs/{stem}_{network.backbone}_fpn_1x_coco.py"
    return _open_mmlab(job, config, [f"train_dataloader.batch_size={job.batch}"], gpus)


def _open_mmlab(job: VisionJob, config: str, options: list[str], gpus: int) -> str:
    if not job.training:
        return shlex.join(["python", "tools/test.py", config, "CHECKPOINT", "--cfg-options", f"test_dataloader.batch_size={job.batch}"])
    if job.accumulate > 1:
        options = [*options, f"optim_wrapper.accumulative_counts={job.accumulate}"]
    if job.precision == "bf16":
        options = [*options, "optim_wrapper.dtype=bfloat16"]
    words = ["bash", "tools/dist_train.sh", config, str(gpus)] if gpus > 1 else ["python", "tools/train.py", config]
    return shlex.join([*words, *(["--amp"] if job.amp else []), "--cfg-options", *options])


def _segmentation_options(job: VisionJob, config: str) -> list[str]:
    """What differs from the config: batch always, crop and optimizer where the file's name says something else."""
    options = [f"train_dataloader.batch_size={job.batch}"]
    found = re.search(r"(\d{2,4})x(\d{2,4})\.py$", config)
    if found is None or (int(found[1]), int(found[2])) != (job.height, job.width):
        size = f"({job.height},{job.width})"
        options += [f"data_preprocessor.size={size}", f"train_dataloader.dataset.pipeline.{RANDOM_CROP}.crop_size={size}"]
    network = job.network
    if network is not None and job.classes != _classes_of(config):
        options.append(f"model.decode_head.num_classes={job.classes}")
    if network is not None and job.optimizer != network.method.optimizer:
        options.append(f"optim_wrapper.optimizer.type={OPTIMIZERS[job.optimizer]}")
    if job.checkpointing:
        options.append("model.backbone.with_cp=True")
    return options


def _classes_of(config: str) -> int | None:
    classes = {"cityscapes": 19, "ade20k": 150, "voc12aug": 21, "coco-stuff": 171, "drive": 2, "pascal-context": 60, "loveda": 7}
    return next((count for name, count in classes.items() if name in config), None)


def _torchvision_name(backbone: str) -> str:
    """r50 → resnet50, swin-t → swin_t, vit-b → vit_b_16."""
    if backbone[:1] == "r" and backbone[1:].isdigit():
        return f"resnet{backbone[1:]}"
    sizes = {"convnext-t": "convnext_tiny", "convnext-s": "convnext_small", "convnext-b": "convnext_base", "convnext-l": "convnext_large",
             "mobilenetv2": "mobilenet_v2", "mobilenetv3-l": "mobilenet_v3_large", "mobilenetv3-s": "mobilenet_v3_small"}  # fmt: skip
    plain = sizes.get(backbone, backbone.replace("-", "_"))
    return f"{plain}_16" if plain.startswith("vit_") else plain


def _own_script(job: VisionJob, gpus: int) -> str:
    """A training script of the user's own; torchvision's reference script for classification."""
    network = job.network
    if not job.training:
        return f"python infer.py --batch-size {job.batch} --size {job.height}x{job.width}" + (" --amp" if job.amp else "")
    words = ["torchrun", f"--nproc_per_node={gpus}", "train.py"]
    if network is not None and network.task == "classification":
        words += ["--model", _torchvision_name(network.backbone), "--train-crop-size", str(job.height), "--opt", job.optimizer]
    else:
        subject = job.module or (network.id if network else "")
        words += ["--net", subject, "--crop", f"{job.height}x{job.width}", "--classes", str(job.classes), "--opt", job.optimizer]
    words += ["--batch-size", str(job.batch)]
    if job.amp:
        words.append("--amp")
    if job.checkpointing:
        words.append("--checkpointing")
    if job.accumulate > 1:
        words += ["--accumulate", str(job.accumulate)]
    return shlex.join(words)
