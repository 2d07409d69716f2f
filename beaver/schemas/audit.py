"""Audit events: hidden events of a session that say what became of its turns. No content, no credential."""

from __future__ import annotations

from enum import StrEnum


class AuditEvent(StrEnum):
    """The Gateway's six outcomes, two reasoned skips, what the recall policy decided, and what an operator did about a turn."""

    RECALL_SUCCEEDED = "memory_gateway_recall_succeeded"
    RECALL_FAILED = "memory_gateway_recall_failed"
    RECALL_SKIPPED = "memory_gateway_recall_skipped"
    RECALL_DECIDED = "memory_recall_decided"
    ADD_SUCCEEDED = "memory_gateway_add_succeeded"
    ADD_FAILED = "memory_gateway_add_failed"
    ADD_SKIPPED = "memory_gateway_add_skipped"
    FLUSH_SUCCEEDED = "memory_gateway_flush_succeeded"
    FLUSH_FAILED = "memory_gateway_flush_failed"
    MEMORY_FORGOTTEN = "memory_forgotten"
    MEMORY_SWITCHED = "memory_switched"
    OPERATOR_ACTED = "memory_gateway_operator_acted"
