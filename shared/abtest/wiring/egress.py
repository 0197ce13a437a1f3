"""Rules for outbound requests to addresses that customers enter."""

from abtest.domain.egress.targets import PublicOnly
from abtest.wiring.settings import Settings


def customer_rules(config: Settings) -> PublicOnly:
    """Return the rules: public addresses only, plus this machine where the deployment allows it (the local stack)."""
    return PublicOnly(allow_loopback=config.allow_loopback_egress == "true")
