"""Who may be called of what customers wrote."""

from abtest.domain.egress.targets import PublicOnly
from abtest.wiring.settings import Settings


def customer_rules(config: Settings) -> PublicOnly:
    """Public addresses; where the deployment allows it, as the local stack does, this machine as well."""
    return PublicOnly(allow_loopback=config.allow_loopback_egress == "true")
