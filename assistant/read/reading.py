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
    "out_of_scope",
    "hostile",     # orders to ignore rules, attacks
]  # fmt: skip


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
    per: Literal["hour", "month", "year", "once"]


class Reading(Piece):
    """Everything the rules found. Empty means not said: assumptions are made later, in one place."""

    text: str                        # as asked
    normal: str                      # NFKC, full-width folded
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
    budget: Money | None = None
    method: str | None = None        # full | lora | qlora | …
    network: str | None = None       # vision network as typed
    crop: tuple[int, int] | None = None
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
    missing: list[str] = []          # for the intent: model precision context concurrency
    carried: list[str] = []          # fields that came from the thread, not from this question
