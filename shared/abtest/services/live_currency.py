"""Consent to another currency of a shop: what runs counts money in the present one."""

from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import LiveConsumer, LiveImpactError
from abtest.domain.settings.shop import Shop
from abtest.ports.catalog import Catalog
from abtest.services.listing import every_head

_MESSAGE = (
    "results count only money in the shop's currency, so amounts in the present one would be excluded as foreign; "
    "repeat with confirm_live_impact true; "
    "confirmed_consumer_ids may be left out, or has the ids of all live_experiments"
)


def require_confirmed_currency(catalog: Catalog, before: Shop, after: Shop, consent: Consent) -> None:
    """Raise LiveImpactError for another currency while something runs, unless the caller acknowledged all of it."""
    if before.currency == after.currency:
        return
    consumers = running_in(catalog, before.id)
    if not all(consent.covers(consumer) for consumer in consumers):
        raise LiveImpactError(consumers, _MESSAGE)


def running_in(catalog: Catalog, shop_id: str) -> list[LiveConsumer]:
    """Return the running experiments and the active personalizations of a shop: their results count money."""
    experiments = (head for head in every_head(catalog, shop_id, "EXP") if head.status == "running")
    personalizations = (head for head in every_head(catalog, shop_id, "PZN") if head.status == "active")
    return [
        *(LiveConsumer(head.id, head.name or "", "experiment") for head in experiments),
        *(LiveConsumer(head.id, head.name or "", "personalization") for head in personalizations),
    ]
