"""The pixel of a shop's external domains."""

from collections.abc import Callable

from abtest.contract import installation as contract
from abtest.domain.credentials.signing import RootKeys, browser_signature
from abtest.domain.delivery.config import Runtime
from abtest.domain.install.pixel import GLOBAL_NAME, Provider, example, pixel_config, render_pixel
from abtest.domain.settings.runtime import RuntimeSettings
from abtest.services.context import Caller
from abtest.services.settings.consent import Consents
from abtest.services.settings.external_tracking import ExternalTrackingSettings
from abtest.services.settings.store import SettingsStore
from abtest.services.shop_records import read_shop


class Pixels:
    """Use case. `bundle` gives the pixel's code, which is the same for all shops."""

    def __init__(
        self, store: SettingsStore, roots: Callable[[], RootKeys], bundle: Callable[[], str], worker_base_url: str
    ) -> None:
        self._store = store
        self._roots = roots
        self._bundle = bundle
        self._worker_base_url = worker_base_url

    def get(self, caller: Caller, provider: Provider) -> contract.ExternalPixelSnippet:
        """The snippet for a kind of page, with the shop's settings as they are now."""
        shop = read_shop(self._store.world.catalog, caller.shop_id)
        tracking = ExternalTrackingSettings(self._store).value(shop.id)
        consent = Consents(self._store).value(shop.id)
        runtime = Runtime(
            shop_id=shop.id,
            environment="",
            currency=shop.currency,
            events_url=f"{self._worker_base_url}/events",
            events_signature=browser_signature(self._roots(), shop.id),
            handover_url=f"{self._worker_base_url}/_svc/handover",
            settings=RuntimeSettings(external_tracking=tracking, consent=consent),
        )
        return contract.ExternalPixelSnippet(
            shop_id=shop.id,
            endpoint=runtime.events_url,
            provider=provider,
            handover_param=tracking.handover_query_param,
            global_name=GLOBAL_NAME,
            snippet=render_pixel(pixel_config(shop.id, runtime.document(), provider), self._bundle()),
            usage=contract.PixelUsage(function_name=f"{GLOBAL_NAME}.track", example=example(shop.currency)),
        )
