"""The engine's services, each made once and given what it needs: the one place that knows them all."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.clock import Clock
from beaver.config.prompt_index import PromptIndexSettings
from beaver.db.engine import Database
from beaver.ids import new_id
from beaver.memory.capture.service import Capture
from beaver.memory.embedding.migration import FormerEncoders
from beaver.memory.embedding.service import EmbeddingService
from beaver.memory.flushing import FlushService
from beaver.memory.forgetting.purge import Purger
from beaver.memory.forgetting.service import ForgettingService
from beaver.memory.inference.port import Encoder, LanguageModel
from beaver.memory.listing.service import ListingService
from beaver.memory.observations.editing import ObservationEditing
from beaver.memory.observations.people import PeopleService
from beaver.memory.observations.reading import ObservationReading
from beaver.memory.observations.reconcile_model import ModelReconciler
from beaver.memory.observations.service import ObservationService
from beaver.memory.portability.learning import Learning
from beaver.memory.portability.service import PortabilityService
from beaver.memory.portability.staging import Staging
from beaver.memory.portability.taking import TakingOver
from beaver.memory.prompt_index.service import PromptIndexService
from beaver.memory.resources.service import ResourceService
from beaver.memory.retracting.service import TakingBack
from beaver.memory.search import SearchService
from beaver.memory.summaries.service import SummaryService
from beaver.memory.tools.handlers import ToolServices
from beaver.memory.tools.table import MemoryTools
from beaver.memory.transcripts.service import TranscriptService
from beaver.memory.upkeep.service import UpkeepService
from beaver.memory.upkeep.uses import Uses
from beaver.memory.users.keys import new_key
from beaver.memory.users.service import UserService


@dataclass(frozen=True)
class Services:
    """Over one open database. `embedding` and `purger` have a task each, to be started and closed."""

    database: Database
    users: UserService
    transcripts: TranscriptService
    flushing: FlushService
    search: SearchService
    resources: ResourceService
    observations: ObservationService
    observed: ObservationReading
    editing: ObservationEditing
    people: PeopleService
    summaries: SummaryService
    prompt_index: PromptIndexService
    tools: MemoryTools
    listing: ListingService
    forgetting: ForgettingService
    portability: PortabilityService
    taking: TakingOver
    learning: Learning
    upkeep: UpkeepService
    uses: Uses
    embedding: EmbeddingService
    purger: Purger


def compose(
    database: Database,
    *,
    encoder: Encoder | None,
    judging: Encoder | None,
    former_encoders: FormerEncoders,
    model: LanguageModel | None,
    model_timeout_s: float,
    prompt_index: PromptIndexSettings,
    index_bytes_max: int,
    clock: Clock,
) -> Services:
    """All services; nothing is started. What asks questions by meaning asks the encoder that serves at that moment."""
    embedding = EmbeddingService(database, encoder, clock, former_encoders=former_encoders)
    reconciler = None if model is None else ModelReconciler(model, timeout_s=model_timeout_s)
    observations = ObservationService(database, clock, new_id, reconciler=reconciler, serving=embedding.serving)
    observed = ObservationReading(database, clock, serving=embedding.serving)
    editing, people = ObservationEditing(database, clock), PeopleService(database, clock)
    transcripts, summaries = TranscriptService(database, clock, new_id), SummaryService(database)
    purger = Purger(database, new_id)
    staging = Staging(database, clock, purger)
    flushing = FlushService(
        database,
        clock,
        new_id,
        capture=Capture(model, encoder=encoder or judging, model_timeout_s=model_timeout_s),
        observations=observations,
        taking_back=TakingBack(database, clock, new_id, serving=embedding.serving),
        embedder=embedding,
    )
    return Services(
        database=database,
        users=UserService(database, clock, new_id, new_key),
        transcripts=transcripts,
        flushing=flushing,
        search=SearchService(database, clock, embedding.serving, index_bytes_max=index_bytes_max),
        resources=ResourceService(database, clock, new_id),
        observations=observations,
        observed=observed,
        editing=editing,
        people=people,
        summaries=summaries,
        prompt_index=PromptIndexService(clock, observed, summaries, prompt_index),
        tools=MemoryTools(ToolServices(database, observations, observed, editing, people)),
        listing=ListingService(database, clock),
        forgetting=ForgettingService(database, clock, new_id, purger),
        portability=PortabilityService(database, clock, staging),
        taking=TakingOver(transcripts, observations),
        learning=Learning(flushing),
        upkeep=UpkeepService(database, clock, new_id, staging, purger),
        uses=Uses(editing, clock),
        embedding=embedding,
        purger=purger,
    )
