"""Where and to whom an experiment, a flag or a personalization is delivered (docs/targeting.md)."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from abtest.contract.audience_rules import AudienceRules
from abtest.contract.base import ABSENT, Input, OpenInput, Uuid
from abtest.contract.misplaced import misplaced
from abtest.contract.names import OptionalName
from abtest.contract.page_rules import MAX_RULES, TargetedPages

MatchMode = Literal["any", "all"]


class CheckoutBlock(Input):
    """Marks the experiment as a checkout block."""

    enabled: bool


class TargetedAudience(OpenInput):
    """An audience rule of targeting: its own rules, or an audience of the shop by `audienceId`."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["rules"]}, {"required": ["audienceId"]}]})

    id: Uuid
    audienceId: Uuid = ABSENT
    rules: AudienceRules = ABSENT
    name: OptionalName = ABSENT
    include: bool = ABSENT
    disabled: bool = ABSENT

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        given = self.model_fields_set & {"audienceId", "rules"}
        if not given:
            raise misplaced([("rules", "is required without audienceId")])
        if len(given) > 1:
            raise misplaced([("rules", "is not allowed with audienceId; the audience defines them")])
        return self


class Targeting(OpenInput):
    """Page rules and audience rules; absent rules do not restrict anything. Other fields are stored unchanged.

    `surface`, `identity` and `checkoutBlock` have no effect on flags and personalizations.
    """

    pageMatchMode: MatchMode = ABSENT
    pageRules: TargetedPages = ABSENT
    segmentMatchMode: MatchMode = ABSENT
    segmentRules: Annotated[list[TargetedAudience], Field(max_length=MAX_RULES)] = ABSENT


class ExperimentTargeting(Targeting):
    """Targeting of an experiment; without `pageRules` it runs on every page.

    `surface: checkout` runs it on the checkout only; `identity: customer` buckets by customer id.
    """

    surface: Literal["checkout"] = ABSENT
    checkoutBlock: CheckoutBlock = ABSENT
    identity: Literal["customer"] | None = ABSENT
