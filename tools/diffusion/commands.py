"""The lines to paste that an estimate assumes."""

from __future__ import annotations

import json

from knowledge.facts import precisions

from .job import DiffusionJob

TORCH_DTYPE = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}
OFFLOAD_CALLS = {
    "none": 'pipe.to("cuda")',
    "model": "pipe.enable_model_cpu_offload()",
    "group": 'pipe.enable_group_offload(onload_device="cuda", offload_type="block_level", num_blocks_per_group=1)',
    "sequential": "pipe.enable_sequential_cpu_offload()",
}
QUANTISERS = {
    "fp8": '"torchao", {"quant_type": "float8wo"}',
    "int8": '"bitsandbytes_8bit", {"load_in_8bit": True}',
    "nf4": '"bitsandbytes_4bit", {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}',
}


LORA_SCRIPTS = {
    "Stable Diffusion": "train_dreambooth_lora.py", "SDXL": "train_dreambooth_lora_sdxl.py", "Stable Diffusion 3": "train_dreambooth_lora_sd3.py",
    "FLUX.1": "train_dreambooth_lora_flux.py", "FLUX.2": "train_dreambooth_lora_flux2.py", "Qwen-Image": "train_dreambooth_lora_qwen_image.py",
    "Z-Image": "train_dreambooth_lora_z_image.py", "Lumina": "train_dreambooth_lora_lumina2.py", "Sana": "train_dreambooth_lora_sana.py",
    "HiDream": "train_dreambooth_lora_hidream.py", "Krea 2": "train_dreambooth_lora_krea2.py", "CogVideoX": "train_cogvideox_lora.py",
}  # fmt: skip
"""Scripts of https://github.com/huggingface/diffusers/tree/main/examples (dreambooth, cogvideo) by family."""
FULL_SCRIPTS = {
    "Stable Diffusion": "train_dreambooth.py", "SDXL": "train_text_to_image_sdxl.py", "Stable Diffusion 3": "train_dreambooth_sd3.py",
    "FLUX.1": "train_dreambooth_flux.py",
}  # fmt: skip
CACHE_LATENTS = ("FLUX.1", "FLUX.2", "Qwen-Image", "Z-Image", "Lumina", "Sana", "HiDream")
"""Families whose LoRA script has `--cache_latents`."""
SIMPLETUNER = {
    "stable-diffusion-2-1": "sd2x", "Stable Diffusion": "sd1x", "SDXL": "sdxl", "Kolors": "kolors", "Stable Diffusion 3": "sd3", "FLUX.1": "flux",
    "FLUX.2": "flux2", "Qwen-Image": "qwen_image", "Z-Image": "z_image", "PixArt": "pixart_sigma", "Sana": "sana", "Lumina": "lumina2",
    "HiDream": "hidream", "AuraFlow": "auraflow", "Chroma": "chroma", "OmniGen": "omnigen", "Krea 2": "krea2", "LongCat-Image": "longcat_image",
    "LongCat-Video": "longcat_video", "Kandinsky-5-Image-6B": "kandinsky5-image", "Kandinsky-5-Video-2B": "kandinsky5-video", "Wan": "wan",
    "HunyuanVideo": "hunyuanvideo", "LTX-2": "ltxvideo2", "LTX": "ltxvideo", "Cosmos": "cosmos",
}  # fmt: skip
"""`model_family` of SimpleTuner by model or family (https://github.com/bghira/SimpleTuner/tree/main/simpletuner/examples)."""


def diffusion_command(job: DiffusionJob, *, gpus: int) -> str:
    """Python for diffusers, the publishers' generate.py, or the trainer's flags."""
    if job.training:
        return _training(job, gpus)
    if job.program == "official" and job.model.family == "Wan":
        return _wan(job, gpus)
    if job.program == "comfyui":
        return "python main.py --listen 0.0.0.0" + (" --lowvram" if job.offload in ("group", "sequential") else "")
    return _diffusers(job)


def _diffusers(job: DiffusionJob) -> str:
    model, kind = job.model, precisions()[job.precision].kind
    dtype = TORCH_DTYPE.get(job.precision, "float16" if model.native_dtype == "fp16" else "bfloat16")
    quantised = QUANTISERS.get("nf4" if kind in ("int4", "gguf", "fp4") else kind if kind in QUANTISERS else "")
    parts = '["transformer", "text_encoder"]' if model.architecture == "dit" else '["unet", "text_encoder"]'
    config = f", quantization_config=PipelineQuantizationConfig({quantised}, components_to_quantize={parts})" if quantised else ""
    lines = [
        "import torch; from diffusers import DiffusionPipeline" + ("; from diffusers.quantizers import PipelineQuantizationConfig" if quantised else ""),
        f'pipe = DiffusionPipeline.from_pretrained("{model.hf_id}", torch_dtype=torch.{dtype}{config})',
        OFFLOAD_CALLS[job.offload],
    ]
    lines += ["pipe.vae.enable_tiling()"] if job.vae_tiling else []
    lines += ["pipe.vae.enable_slicing()"] if job.vae_slicing else []
    frames = f", num_frames={job.frames}" if model.kind == "video" else ""
    many = f", num_images_per_prompt={job.batch}" if job.batch > 1 and model.kind == "image" else ""
    return "\n".join([*lines, f'out = pipe("…", height={job.height}, width={job.width}{frames}{many})'])


def _wan(job: DiffusionJob, gpus: int) -> str:
    task = {"Wan2.1-T2V-14B": "t2v-14B", "Wan2.1-I2V-14B": "i2v-14B", "Wan2.1-T2V-1.3B": "t2v-1.3B",
            "Wan2.1-VACE-14B": "vace-14B", "Wan2.2-T2V-A14B": "t2v-A14B", "Wan2.2-I2V-A14B": "i2v-A14B",
            "Wan2.2-TI2V-5B": "ti2v-5B"}.get(job.model.id, "t2v-14B")  # fmt: skip
    start = f"torchrun --nproc_per_node={gpus} generate.py" if gpus > 1 else "python generate.py"
    flags = [f"--task {task}", f"--size {job.width}*{job.height}", f"--ckpt_dir ./{job.model.hf_id.rpartition('/')[2]}"]
    if gpus > 1 and "fsdp" in job.shard:
        flags += ["--dit_fsdp", "--t5_fsdp", f"--ulysses_size {gpus}"]
    if job.offload != "none":
        flags += ["--offload_model True"]
    if job.precision != "fp32" and job.model.id.startswith("Wan2.2"):
        flags += ["--convert_model_dtype"]
    if job.text_encoder == "cpu":
        flags += ["--t5_cpu"]
    return " ".join([start, *flags])


def _training(job: DiffusionJob, gpus: int) -> str:
    """Diffusers' own example script where there is one for that method, else SimpleTuner's configuration."""
    script = (LORA_SCRIPTS if job.method == "lora" else FULL_SCRIPTS).get(job.model.family)
    if script is None:
        return _simpletuner(job, gpus)
    launch = f"accelerate launch --num_processes {gpus}" + (f" --use_deepspeed --zero_stage {job.shard[-1]}" if job.shard in ("zero2", "zero3") else "")
    flags = [f"--pretrained_model_name_or_path {job.model.hf_id}", *_data_flags(job, script), f"--train_batch_size {job.batch}"]
    flags += [f"--rank {job.lora_rank}"] if job.method == "lora" else []
    flags += ["--gradient_checkpointing"] if job.checkpointing else []
    flags += ["--use_8bit_adam"] if job.optimizer == "adamw8bit" else []
    flags += ["--cache_latents"] if job.cached and job.model.family in CACHE_LATENTS and job.method == "lora" else []
    return " ".join([launch, script, *flags, "--mixed_precision " + ("fp16" if job.model.native_dtype == "fp16" else "bf16")])


def _data_flags(job: DiffusionJob, script: str) -> list[str]:
    """Where pictures or clips are, and their size."""
    if job.model.kind == "video":
        data = ["--instance_data_root YOUR_CLIPS", "--caption_column prompts.txt", "--video_column videos.txt"]
        return [*data, f"--height {job.height} --width {job.width} --max_num_frames {job.frames}"]
    side = f"--resolution {min(job.height, job.width)}"
    if "text_to_image" in script:
        return ["--train_data_dir YOUR_PICTURES", side]
    return ["--instance_data_dir YOUR_PICTURES", '--instance_prompt "a photo of sks"', side]


def _simpletuner(job: DiffusionJob, gpus: int) -> str:
    """SimpleTuner's config.json, whose keys are its options, and the call that reads it; empty for models that it has not."""
    family = SIMPLETUNER.get(job.model.id) or SIMPLETUNER.get(job.model.family)
    if family is None:
        return ""
    keys: dict[str, object] = {
        "model_family": family,
        "pretrained_model_name_or_path": job.model.hf_id,
        "model_type": job.method,
        "train_batch_size": job.batch,
        "resolution_type": "pixel",
        "resolution": min(job.height, job.width),
        "gradient_checkpointing": job.checkpointing,
        "optimizer": {"adamw8bit": "bnb-adamw8bit"}.get(job.optimizer, "adamw_bf16"),
        "mixed_precision": "bf16",
        "num_processes": gpus,
        "data_backend_config": "config/multidatabackend.json",
    }
    keys |= {"lora_rank": job.lora_rank} if job.method == "lora" else {}
    return f"echo '{json.dumps(keys)}' > config/config.json && simpletuner train"
