"""What was understood of one question: the contract between reading, planning and composing."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Intent = Literal[
    "sizing",      # memory needed, which instance for a job, does it fit, how many users
    "catalog",     # what is family/type X, which types have card Y, list, does X exist
    "price",       # what does X cost, cheapest with Z, cost per month
    "guidance",    # how to, what to choose, why: answered from passages
    "claim_check", # is it true that, "a guide says", right?
    "comparison",  # X against Y
    "greeting",    # hello, thanks, what can you do
    "cost",        # ways to pay side by side, from which hour a subscription pays, what is paid while stopped
    "api_cost",    # renting against paying an API by its tokens
    "run_cost",    # what one training costs
    "order",       # how to get it: page, command, Terraform, quota
    "where_sold",  # in which regions a type is sold
    "catalog_state",  # of which day the catalog and the prices are, how to refresh them
    "out_of_scope",
    "hostile",     # orders to ignore rules, attacks
]  # fmt: skip


COSTS: tuple[Intent, ...] = ("cost", "api_cost", "run_cost", "order", "where_sold", "catalog_state")
"""Intents about costs, orders and the catalog itself."""
Solve = Literal["context", "concurrency", "batch", "crop", "lora_rank"]
Wish = Literal["cheaper", "faster", "safer", "why_not", "defaults", "explain"]


class Piece(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ModelMention(Piece):
    """A model as typed. `model_id` is the table's id, None when unknown; `params` when the name or text gives a size."""

    text: str
    model_id: str | None = None
    params: int | None = None        # elements
    note: str = ""                   # e.g. "newest_common" when the name fits several generations, "typical" for a bare size
    nearest: list[str] = []          # "did you mean", when unknown


class NameMention(Piece):
    """A card, family or instance type as typed; `known` says whether the catalog has it."""

    text: str
    name: str                        # canonical: gpu_id, family, or instance type (`ecs.…`)
    known: bool
    memory_gb: float | None = None   # the memory size the user gave it ("A10 40GB")
    count: int | None = None         # "4 张 A10", "2 x A100"
    alternatives: list[str] = []     # other gpu_ids the same words may mean (A100 without a size: 40 or 80 GB)


class Money(Piece):
    amount: float
    currency: Literal["CNY", "USD"]
    per: Literal["hour", "day", "month", "year", "once"]


class ApiRate(Piece):
    """What an API asks per million tokens; None where only the other one was said."""

    input: float | None
    output: float | None
    currency: Literal["CNY", "USD"]


class Reading(Piece):
    """Everything the rules found. Empty means not said: assumptions are made later, in one place."""

    text: str                        # as asked
    normal: str                      # NFKC, full-width folded
    pasted: tuple[int, int] | None = None  # where in `text` an article stands that is to be checked: then nothing else is read
    language: Literal["zh", "en"]
    intents: list[Intent]            # most certain first; never empty
    job: Literal[
        "llm_inference", "llm_training", "vision_training", "vision_inference", "encoder_inference",
        "diffusion_inference", "diffusion_training", "asr_inference", "cpu_inference",
    ] | None = None  # fmt: skip
    models: list[ModelMention] = []
    cards: list[NameMention] = []
    families: list[NameMention] = []
    instances: list[NameMention] = []
    config_json: str | None = None   # a pasted Hugging Face config.json
    weight_dtype: str | None = None  # as tools.weights names them: bf16 fp16 fp32 fp8 int8 int4 awq gptq nf4 mxfp4 nvfp4 q4_k_m …
    weight_dtypes: list[str] = []    # all precisions named for the weights, in order ("bf16, FP8 or INT4?")
    kv_dtype: str | None = None
    context: int | None = None       # tokens
    contexts: list[int] = []         # all contexts named, in order ("8K 还是 16K 上下文"); the first is `context`
    concurrency: int | None = None   # sequences at once
    concurrencies: list[int] = []    # all numbers of users named, in order; the first is `concurrency`
    people: bool = False             # `concurrency` is a number of people ("100 个员工"), not of requests at once
    batch: int | None = None
    card_memory_gb: float | None = None  # a card named by its memory alone: "一张 24G 显卡", "one 48 GB card"
    gpus: int | None = None          # cards wished for ("双卡", "on 4 GPUs")
    tensor_parallel: int | None = None
    machines: int | None = None      # instances at once ("两台", "3 instances")
    disk_gib: float | None = None
    hours: float | None = None       # in all ("每天 8 小时一个月" is 240)
    months: float | None = None
    hours_per_month: float | None = None  # of a use that is told by the month or the day ("每月用 200 小时", "每天 8 小时")
    budget: Money | None = None
    api: ApiRate | None = None       # "API 每百万 token 2 元"
    tokens_per_month: float | None = None      # of a service ("每天 5000 万 token"), input and output together
    input_per_month: float | None = None
    output_per_month: float | None = None
    training_tokens: float | None = None       # "用 1 亿 token 微调"
    samples: int | None = None       # "10 万条"
    epochs: int | None = None
    asks: list[str] = []             # what of costs and orders is asked: pay_off ways idle api run order command terraform quota where state refresh
    site: Literal["cn", "intl"] | None = None  # the site asked for by name ("国际站", "in USD")
    methods: list[str] = []          # all methods named, in order ("全参、LoRA、QLoRA 各要多少"); the first is `method` or stands for it
    method: str | None = None        # full | lora | qlora | dora | freeze | …
    objective: str | None = None     # sft dpo grpo ppo pretrain
    optimizer: str | None = None     # as in the table of optimizers: adamw adamw_8bit paged_adamw_8bit adafactor lion sgd galore adam …
    checkpointing: str | None = None # none selective full
    sharding: str | None = None      # ddp zero1 zero2 zero3 fsdp
    offload: str | None = None       # optimizer params model sequential
    lora_rank: int | None = None
    packing: bool | None = None
    flash_attention: bool | None = None
    cross_entropy: str | None = None # eager chunked fused
    accumulate: int | None = None    # micro-batches per step
    generations: int | None = None   # answers of one prompt that reinforcement learning rolls out
    global_batch: int | None = None  # samples per step of all cards ("总 batch 64"); `batch` is of one card
    network: str | None = None       # vision network as typed; the first of `networks`
    networks: list[str] = []
    task: str | None = None          # segmentation detection classification
    classes: int | None = None
    amp: bool | None = None
    inference: bool | None = None    # vision: serving said (True) or training said (False)
    crop: tuple[int, int] | None = None        # pixels, in the order typed
    resolution: tuple[int, int] | None = None  # diffusion: width and height, pixels
    frames: int | None = None
    video_seconds: float | None = None         # "5 秒视频"
    steps: int | None = None         # denoising steps
    diffusion_models: list[str] = [] # as typed
    speech_models: list[str] = []    # as typed
    beam: int | None = None
    qps: float | None = None         # requests (pictures, texts) per second
    ttft_s: float | None = None      # seconds to the first token, at most
    tokens_per_s: float | None = None          # of each user
    total_tokens_per_s: float | None = None    # of the whole service
    input_tokens: int | None = None
    output_tokens: int | None = None
    solve: Solve | None = None       # the largest that fits is asked for
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    expert_parallel: int | bool | None = None  # its size, or True where it is only turned on
    utilization: float | None = None # gpu_memory_utilization, 0..1
    enforce_eager: bool | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    lora_adapters: int | None = None # served at once
    ram_gib: float | None = None     # main memory ("64G 内存")
    unified: bool = False            # a Mac: processor and GPU share one memory, `ram_gib`
    owned: bool = False              # the hardware named is the user's own, not to be rented
    region: str | None = None        # region id
    regions: list[str] = []          # all regions named, in order; the first is `region`
    billing: list[str] = []          # payg month year spot ri savings_plan
    engine: str | None = None        # vllm sglang transformers llama.cpp ollama
    topics: list[str] = []           # memory gpu family training inference vision llm cpu disk network driver image price billing spot serverless monitoring scaling security order
    features: list[str] = []         # what hardware is asked to have: nvlink rdma mig ecc tee pcie fp8 bf16 memory bandwidth disk
    wish: Wish | None = None         # what is wished of the answer: "再便宜点" cheaper, "why so expensive" explain, "不知道" defaults
    closed_models: list[str] = []    # models whose weights are not published (GPT-4, Claude, 豆包)
    other_clouds: list[str] = []     # clouds named beside this one, by code: aws azure gcp tencent huawei …
    presumes: list[str] = []         # stretches of the question that assert a fact ("A10 40GB", "gn7v 是 A100")
    absurd: list[str] = []           # codes: negative_quantity, zero_quantity, too_many_params, …; each with the words, "code:words"
    missing: list[str] = []          # for the intent: model network precision context concurrency
    carried: list[str] = []          # fields that came from the thread, not from this question
