"""Wire shapes of quarantined events."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import DateTime, Output


class QuarantinedEvent(Output):
    """An event that is not counted."""

    event_id: Annotated[str | None, Field(description="The id that the event claims, where it could be read.")]
    received_at: DateTime
    reason: Annotated[str, Field(description="Why it was set aside; the filter names them all.")]
    sample: Annotated[
        str,
        Field(
            description="The beginning of what was sent, as text; characters beyond ASCII escaped. Of `unknown_goal` "
            "and `unreadable_row`, of the ledger's row."
        ),
    ]
