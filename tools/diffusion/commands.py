"""The lines to paste that an estimate assumes."""

from __future__ import annotations

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
    """Flags of diffusers' own training examples; names of scripts differ by model."""
    script = _script(job)
    launch = f"accelerate launch --num_processes {gpus}" + (f" --use_deepspeed --zero_stage {job.shard[-1]}" if job.shard in ("zero2", "zero3") else "")
    flags = [f"--pretrained_model_name_or_path {job.model.hf_id}", f"--train_batch_size {job.batch}", f"--resolution {min(job.height, job.width)}"]
    flags += [f"--rank {job.lora_rank}"] if job.method == "lora" else []
    flags += ["--gradient_checkpointing"] if job.checkpointing else []
    flags += ["--use_8bit_adam"] if job.optimizer == "adamw8bit" else []
    flags += ["--cache_latents"] if job.cached else []
    return " ".join([launch, script, *flags, "--mixed_precision " + ("fp16" if job.model.native_dtype == "fp16" else "bf16")])


def _script(job: DiffusionJob) -> str:
    suffix = {"Stable Diffusion": "", "SDXL": "_sdxl", "Stable Diffusion 3": "_sd3", "FLUX.1": "_flux", "FLUX.2": "_flux2",
              "Qwen-Image": "_qwen_image", "Z-Image": "_z_image", "Lumina": "_lumina2", "Sana": "_sana",
              "HiDream": "_hidream"}.get(job.model.family)  # fmt: skip
    if suffix is None:
        return "train.py"
    return f"train_dreambooth_lora{suffix}.py" if job.method == "lora" else f"train_dreambooth{suffix}.py"
