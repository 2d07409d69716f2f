"""What becomes of old observations in the Gateway's memory."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from beaver.config.rules import Number, Section, Whole

Days = Annotated[Whole, Field(ge=1, le=36_500)]


class RetentionSettings(Section):
    """Maintenance of the memory: what is old becomes less."""

    enabled: Annotated[bool, Field(strict=True, description="Whether the Gateway maintains its memory by itself.")] = (
        True
    )
    compress_after_days: Annotated[Days, Field(description="Age at which observations of one title become one.")] = 14
    archive_after_days: Annotated[Days, Field(description="Days without use or change until one is archived.")] = 30
    delete_after_days: Annotated[Days, Field(description="Days in the archive until one is deleted.")] = 365
    cluster_min: Annotated[Whole, Field(ge=2, le=20, description="Fewest observations that become one.")] = 3
    max_rows_per_run: Annotated[Whole, Field(ge=20, le=100_000, description="Most rows of each step of a run.")] = 200
    interval_minutes: Annotated[Number, Field(gt=0, le=10_080, description="Minutes between two runs.")] = 60

    @model_validator(mode="after")
    def _ages_rise(self) -> RetentionSettings:
        if not self.compress_after_days <= self.archive_after_days <= self.delete_after_days:
            raise ValueError("compressAfterDays must be at most archiveAfterDays, and that at most deleteAfterDays")
        return self
