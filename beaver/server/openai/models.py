"""The models that clients may choose from: the agent, and the bare model without memory."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from beaver.errors import NotFound
from beaver.schemas.chat import MODEL_ID, NO_MEMORY_MODEL_ID, NO_MEMORY_SUFFIX, ModelCard, ModelList
from beaver.server.description.refusals import refusals

MODELS: Final = {model_id: ModelCard(id=model_id) for model_id in (MODEL_ID, NO_MEMORY_MODEL_ID)}

router = APIRouter(prefix="/v1")


@router.get("/models")
async def list_models() -> ModelList:
    """All models. Requests may name others, as front ends do: each is the agent."""
    return ModelList(data=list(MODELS.values()))


@router.get("/models/{model_id:path}", responses=refusals(404))
async def get_model(model_id: str) -> ModelCard:
    """One model."""
    if model_id not in MODELS:
        raise NotFound("there is no such model; GET /v1/models lists them")
    return MODELS[model_id]


def is_without_memory(model: str) -> bool:
    """Whether a request for this model must leave no trace: any name with the suffix, so that front ends may keep theirs."""
    return model.endswith(NO_MEMORY_SUFFIX)
