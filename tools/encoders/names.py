"""Encoders, embedding models and rerankers by the names people use."""

from __future__ import annotations

from functools import cache

from knowledge.errors import UnknownModel
from knowledge.other_facts import EncoderModel, encoder_models
from knowledge.rows import Model
from tools.lookup import look_up_model
from tools.phrases import Language
from tools.table_names import NamedSpan, find_named, look_up_named, spellings


def find_encoder(text: str) -> tuple[NamedSpan, ...]:
    """Encoders, embedding models and rerankers that a text names, in order of their place."""
    return find_named(text, _names())


def look_up_encoder(name: str, *, language: Language = "en") -> EncoderModel:
    """The row called `name`, else an encoder of the table of language models. Raises UnknownModel with the nearest names."""
    try:
        return encoder_models()[look_up_named(name, _names(), table="encoder", language=language)]
    except UnknownModel:
        row = _other_encoder(name)
        if row is None:
            raise
        return row


def _other_encoder(name: str) -> EncoderModel | None:
    try:
        model = look_up_model(name).model
    except UnknownModel:
        return None
    return _as_encoder(model) if model.modality == "encoder" and model.layers and model.hidden_size else None


def _as_encoder(model: Model) -> EncoderModel:
    """A row of models.jsonl in the form of this table."""
    decoder = (model.attention or {}).get("kv_cache") is not False and model.kv_heads != model.heads
    return EncoderModel(
        id=model.id, hf_id=model.hf_id, aliases=model.aliases, family=model.family, role="encoder",
        params=model.params_total, hidden_size=model.hidden_size or 0, layers=model.layers or 0, heads=model.heads or 1,
        kv_heads=model.kv_heads or model.heads or 1, intermediate_size=model.intermediate_size or 4 * (model.hidden_size or 0),
        vocab_size=model.vocab_size or 0, max_tokens=model.max_context or 512, gated=decoder, decoder=decoder,
        source_ids=model.source_ids, note=model.note,
    )  # fmt: skip


@cache
def _names() -> dict[str, str]:
    return spellings({row.id: (row.hf_id, *row.aliases) for row in encoder_models().values()})
