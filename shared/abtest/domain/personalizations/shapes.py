"""Shapes of personalizations under the names of the contract."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from abtest.domain.experiments.shapes import Mutation
from abtest.domain.targeting.shapes import Targeting


class ExperienceFields(TypedDict, total=False):
    """Fields of an experience of a request. The value is any JSON."""

    key: str
    name: str
    value: object
    mutations: Sequence[Mutation]
    custom_css: str | None
    custom_js: str | None
    reset_js: str | None
    anti_flicker_selectors: Sequence[str]
    recommendation_profile: str | None


class RuleFields(TypedDict):
    """Rule that chooses an experience."""

    experience_key: str
    name: NotRequired[str | None]
    targeting: NotRequired[Targeting | None]
