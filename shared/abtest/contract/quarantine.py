"""Quarantined events on the wire."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import DateTime, Output


class QuarantinedEvent(Output):
    """An event that is not counted."""

    event_id: Annotated[str | None, Field(description="The event's own id, if it could be read.")]
    received_at: DateTime
    reason: Annotated[str, Field(description="Reason of the quarantine; the filter lists all reasons.")]
    sample: Annotated[
        str,
        Field(
            description=(
                "Beginning of the event as it was sent, in escaped ASCII; for `unknown_goal` and "
                "`unreadable_row`, of the ledger's row."
            )
        ),
    ]
