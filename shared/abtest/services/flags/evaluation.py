"""Evaluating flags for servers: what storefronts would decide, on what is stored now, flags for servers included."""

import logging
from collections.abc import Mapping
from typing import Any

from abtest.domain.assignment.decide import Visitor, decide_flags, prepare
from abtest.domain.assignment.shapes import Decided
from abtest.domain.delivery.config import compile_flags
from abtest.domain.flags.change import DELIVERED
from abtest.kit import canonical_json
from abtest.kit.clock import to_milliseconds
from abtest.kit.errors import LimitReachedError
from abtest.services.context import World
from abtest.services.publication.sources import Sources

DEFAULT_ENVIRONMENT = "production"
ANSWER_BYTES = 4_500_000
"""What the values may weigh together; an answer ends at 6 MB."""

_REASONS_LOGGED = 20

_log = logging.getLogger(__name__)

Evaluated = Mapping[str, Mapping[str, Any]]
"""`{key: {"value", "reason"}}`."""


class Evaluation:
    """The use case."""

    def __init__(self, world: World) -> None:
        self._world = world

    def evaluate(
        self,
        shop_id: str,
        *,
        visitor_id: str,
        environment_key: str = DEFAULT_ENVIRONMENT,
        attributes: Mapping[str, Any] | None = None,
    ) -> Evaluated:
        """Every active and paused flag of the environment. Page rules are held against the attribute `url`.

        Raises LimitReachedError when the values are more than an answer holds.
        """
        given = dict(attributes or {})
        prepared = prepare(self._config(shop_id, environment_key))
        visitor = Visitor(id=visitor_id, customer_id=given.get("customer_id"), attributes=given)
        now = to_milliseconds(self._world.clock.now())
        decided = decide_flags(prepared, visitor, given.get("url"), now)
        flags = {key: value.document() for key, value in decided.items()}
        # Lambda cuts off at 6 MB and the caller would get a bare 502. The margin is for the escaping of JSON as text.
        if len(canonical_json.encode(flags)) > ANSWER_BYTES:
            raise LimitReachedError(f"the values of all flags of {environment_key} are more than an answer holds")
        return flags

    def _config(self, shop_id: str, environment_key: str) -> Decided:
        """As publications read it: a flag that cannot be read is left out and keeps no other from being evaluated."""
        sources = Sources(self._world.catalog, shop_id)
        flags = sources.flags(
            lambda head: head.status in DELIVERED and head.attributes.get("environment_key") == environment_key
        )
        references = sources.references(flag.targeting for flag in flags)
        if sources.left_out:
            _log.warning(
                "evaluation.left_out", extra={"shop_id": shop_id, "reasons": sources.left_out[:_REASONS_LOGGED]}
            )
        return compile_flags(shop_id, flags, references)
