"""Where and for whom an experiment runs."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Literal

from abtest.contract.base import ABSENT, Input, OpenInput
from abtest.contract.page_rules import PageRuleList

MatchMode = Literal["any", "all"]


class CheckoutBlock(Input):
    """Whether the experiment is a checkout block."""

    enabled: bool


class ExperimentTargeting(OpenInput):
    """Targeting. `pageRules` are the experiment's source pages; fields beyond these are kept as they come."""

    pageMatchMode: MatchMode = ABSENT
    segmentMatchMode: MatchMode = ABSENT
    surface: Literal["checkout"] = ABSENT
    checkoutBlock: CheckoutBlock = ABSENT
    pageRules: PageRuleList = ABSENT
