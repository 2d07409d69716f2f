"""The memory database's tables. All times are UTC epoch milliseconds; every row of a user's memory carries its namespace."""

from beaver.memory.tables import evidence as evidence
from beaver.memory.tables.base import is_in as is_in
from beaver.memory.tables.base import metadata as metadata
from beaver.memory.tables.identity import namespaces as namespaces
from beaver.memory.tables.identity import receipts as receipts
from beaver.memory.tables.identity import user_keys as user_keys
from beaver.memory.tables.identity import users as users
from beaver.memory.tables.observations import archive_evidence as archive_evidence
from beaver.memory.tables.observations import observation_archive as observation_archive
from beaver.memory.tables.observations import observation_evidence as observation_evidence
from beaver.memory.tables.observations import observation_history as observation_history
from beaver.memory.tables.observations import observation_labels as observation_labels
from beaver.memory.tables.observations import observations as observations
from beaver.memory.tables.observations import people as people
from beaver.memory.tables.observations import session_summaries as session_summaries
from beaver.memory.tables.observations import tombstones as tombstones
from beaver.memory.tables.retrieval import FULLTEXT_TABLE as FULLTEXT_TABLE
from beaver.memory.tables.retrieval import embedding_pieces as embedding_pieces
from beaver.memory.tables.retrieval import embeddings as embeddings
from beaver.memory.tables.retrieval import passages as passages
from beaver.memory.tables.retrieval import retired_passages as retired_passages
from beaver.memory.tables.transcripts import conversations as conversations
from beaver.memory.tables.transcripts import documents as documents
from beaver.memory.tables.transcripts import messages as messages
from beaver.memory.tables.transcripts import turns as turns
from beaver.memory.tables.upkeep import upkeep as upkeep
