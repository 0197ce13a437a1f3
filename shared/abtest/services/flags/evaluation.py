"""Evaluating flags for servers: what storefronts would decide, on what is stored now, flags for servers included."""

import json
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
"""Size of all values of a response as JSON."""
RESPONSE_BYTES = 6_000_000
"""Size of a response as the function returns it, below Lambda's limit of 6 MiB."""

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
        """Return every active and paused flag of the environment. Page rules are matched against the attribute `url`.

        Raises LimitReachedError when the values are larger than a response can be.
        """
        given = dict(attributes or {})
        prepared = prepare(self._config(shop_id, environment_key))
        visitor = Visitor(id=visitor_id, customer_id=given.get("customer_id"), attributes=given)
        now = to_milliseconds(self._world.clock.now())
        decided = decide_flags(prepared, visitor, given.get("url"), now)
        flags = {key: value.document() for key, value in decided.items()}
        # Lambda refuses larger responses, and the caller would get a bare 502. A function returns its body as a text
        # within JSON, in ASCII: a quote takes two bytes there, and a letter such as é six.
        body = canonical_json.dumps(flags)
        if len(body.encode()) > ANSWER_BYTES or len(json.dumps(body)) > RESPONSE_BYTES:
            raise LimitReachedError(f"the values of all flags of {environment_key} are larger than a response can be")
        return flags

    def _config(self, shop_id: str, environment_key: str) -> Decided:
        """Return the flags as publications read them. One that cannot be read is left out; the others are evaluated."""
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
