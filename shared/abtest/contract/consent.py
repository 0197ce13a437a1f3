"""The acknowledgement that an edit reaches shoppers."""

from typing import Annotated, Any

from pydantic import Field

from abtest.contract.base import ABSENT, Input
from abtest.domain.changes.consent import Consent

_FIELDS = {"confirm_live_impact", "confirmed_consumer_ids"}


class LiveEdit(Input):
    """An edit that needs `confirm_live_impact` while running.

    `confirmed_consumer_ids` is optional; when present it must contain the id of the edited resource.
    """

    confirm_live_impact: bool = ABSENT
    confirmed_consumer_ids: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=1000)] = ABSENT

    def provided(self) -> Any:
        """Return the edited fields, without the acknowledgement."""
        return {name: value for name, value in super().provided().items() if name not in _FIELDS}

    def consent(self) -> Consent:
        """Return the acknowledgement."""
        # `bool`, because an absent field is None here.
        return Consent(confirmed=bool(self.confirm_live_impact), consumer_ids=self.confirmed_consumer_ids)


class Acknowledgement(LiveEdit):
    """A body that holds only the acknowledgement."""
