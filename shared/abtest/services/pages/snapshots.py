"""Snapshots of pages for a publish: the chosen versions pass their gates, and are stored as rendered at the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract.page_specs import seo_of, spec_of
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.pages.addresses import refuse_reserved
from abtest.domain.pages.brand_gates import brand_verdicts
from abtest.domain.pages.gates import QaRequiredError, rechecked, refuse_failed
from abtest.domain.pages.model import LandingPage, Route
from abtest.domain.pages.publishes import Snapshot, Variant
from abtest.domain.pages.versions import PageVersion
from abtest.kit.errors import FieldError, NotFoundError, refused
from abtest.ports.catalog import Catalog
from abtest.services.brand import read_brand
from abtest.services.pages.documents import PageDocuments
from abtest.services.pages.experiments import PageExperiments
from abtest.services.pages.live_hosts import is_claimed
from abtest.services.pages.sites import Sites
from abtest.services.pages.versions import PageVersions
from abtest.services.shops import shop_defaults


def refuse_unclaimed(catalog: Catalog, shop_id: str, host: str, field: str = "host") -> None:
    """Raise UrlNotAllowedError unless the shop has claimed the host. A host of another shop gives the same error."""
    if not is_claimed(catalog, shop_id, host):
        message = "must be one of the shop's install domains; add it there first"
        raise UrlNotAllowedError(f"{field}: {message}", fields=[FieldError(field, message)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshots:
    """Snapshots of the present state of pages."""

    catalog: Catalog
    versions: PageVersions
    experiments: PageExperiments
    sites: Sites
    documents: PageDocuments

    def of(self, page: LandingPage, fields: Mapping[str, Any]) -> Snapshot:
        """Return what a publish with these fields of a request keeps.

        Raises ValidationFailedError, UrlNotAllowedError, ReservedPathError, GateFailedError, QaRequiredError,
        BlobsUnavailableError.
        """
        version = self._version(page, fields.get("version_id") or page.current_version_id, "version_id")
        address = self._address(page, fields)
        arms = page.experiment.versions if page.experiment else {}
        shown = {variation_id: self._version(page, each, "experiment") for variation_id, each in arms.items()}
        for each in (version, *shown.values()):
            self._refuse_unchecked(page, each, is_overridden=fields.get("override_gate") is not None)
        there = replace(page, publish_host=address.host, publish_path=address.path)
        experiment_id = page.experiment.experiment_id if page.experiment else None
        if page.experiment is not None:
            self.experiments.check(there, page.experiment)
        site = self.sites.of(there)
        if page.publish_mode == "export":
            # A file has no server that could choose a variant.
            file = self.documents.file_of(version, site)
            return Snapshot(version_id=version.id, address=address, is_export=True, base=file)
        variants = [
            Variant(
                variation_id=variation_id, document=self.documents.of(each, site, f"{experiment_id}:{variation_id}")
            )
            for variation_id, each in shown.items()
        ]
        return Snapshot(
            version_id=version.id,
            address=address,
            base=self.documents.of(version, site),
            experiment_id=experiment_id,
            variants=tuple(variants),
        )

    def _refuse_unchecked(self, page: LandingPage, version: PageVersion, *, is_overridden: bool) -> None:
        # The brand context is that of today, not that of the report.
        brand, seo = read_brand(self.catalog, page.shop_id), seo_of(version.seo_manifest)
        verdicts = brand_verdicts(spec_of(version.spec), seo, version.claims, brand)
        report = rechecked(version.gate_report, verdicts, version.gate_report["checked_at"])
        refuse_failed(version.version_number, report, is_overridden=is_overridden)
        if not page.is_approved(version.id) and shop_defaults(self.catalog, page.shop_id)["require_landing_qa"]:
            raise QaRequiredError(version.version_number)

    def _version(self, page: LandingPage, version_id: str | None, field: str) -> PageVersion:
        if version_id is None:
            raise refused(field, "the landing page has no version yet")
        try:
            return self.versions.get(page.shop_id, page.id, version_id)[1]
        except NotFoundError:
            raise refused(field, "there is no such version of this landing page") from None

    def _address(self, page: LandingPage, fields: Mapping[str, Any]) -> Route:
        host = fields.get("host") or page.publish_host
        path = fields.get("path") or page.publish_path or f"/{page.slug}"
        refuse_unclaimed(self.catalog, page.shop_id, host)
        refuse_reserved(path, "path")
        return Route(host=host, path=path)
