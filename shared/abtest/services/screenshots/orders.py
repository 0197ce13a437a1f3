"""Orders of screenshots, checked before a job is made of them: addresses, variations, number of pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.egress.targets import EgressRules, UrlNotAllowedError
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.variations import find
from abtest.domain.screenshots.order import ScreenshotOrder, refuse_too_many
from abtest.kit.errors import FieldError, NotFoundError, refused
from abtest.ports.catalog import Catalog
from abtest.services.experiments.records import experiment_of
from abtest.services.pages.live_hosts import is_claimed


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenshotOrders:
    """Maker of orders. `rules` are those of the browser's requests."""

    catalog: Catalog
    rules: EgressRules

    def made(self, shop_id: str, fields: Mapping[str, Any]) -> ScreenshotOrder:
        """Return the order of a request. Raises NotFoundError, UrlNotAllowedError, ValidationFailedError."""
        experiment = self._experiment(shop_id, fields.get("experiment_id"))
        if experiment is None and "variation_ids" in fields:
            raise refused("variation_ids", "send the experiment_id of these variations too")
        given: dict[str, Any] = {name: fields[name] for name in ("viewports", "full_page") if name in fields}
        if experiment is not None:
            given["experiment_id"] = experiment.id
            given["variation_ids"] = _variations(experiment, fields.get("variation_ids"))
        order = ScreenshotOrder(urls=tuple(fields["urls"]), **given)
        self.check(shop_id, order)
        return order

    def check(self, shop_id: str, order: ScreenshotOrder, path: str = "urls") -> None:
        """Raise UrlNotAllowedError, ValidationFailedError for an order that no job may have; `path` names its field."""
        refuse_too_many(order, path)
        claims: dict[str, bool] = {}
        for index, url in enumerate(order.urls):
            try:
                host = self._host(url)
            except UrlNotAllowedError as error:
                raise _not_allowed(f"{path}[{index}]", error.message) from error
            if order.experiment_id is None:
                continue
            # Only on its own pages may a shop show what others could take for the page itself.
            if host not in claims:
                claims[host] = is_claimed(self.catalog, shop_id, host)
            if not claims[host]:
                raise _not_allowed(
                    f"{path}[{index}]",
                    f"{host} must be one of the shop's install domains to show an experiment; add it there first",
                )

    def _host(self, url: str) -> str:
        """Return the host of an address that a browser may visit. Names are looked up when it does."""
        target = self.rules.target(url)
        if not target.is_name:
            self.rules.refuse(target, [target.host])
        return target.host

    def _experiment(self, shop_id: str, reference: str | None) -> Experiment | None:
        return experiment_of(self.catalog, shop_id, reference) if reference else None


def _variations(experiment: Experiment, references: Sequence[str] | None) -> tuple[str, ...]:
    """Return the ids of the named variations, by default of all in use. Raises ValidationFailedError."""
    if references is None:
        return tuple(variation.id for variation in in_use(experiment))
    ids = []
    for index, reference in enumerate(references):
        try:
            ids.append(find(experiment, reference).id)
        except NotFoundError as error:
            raise refused(f"variation_ids[{index}]", "must be a variation of the experiment") from error
    if len(set(ids)) < len(ids):
        raise refused("variation_ids", "names one variation by its id and by its public id")
    return tuple(ids)


def _not_allowed(path: str, why: str) -> UrlNotAllowedError:
    return UrlNotAllowedError(f"{path}: {why}", fields=[FieldError(path, why)])
