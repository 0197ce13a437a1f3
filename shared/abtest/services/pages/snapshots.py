"""Snapshots of pages for a publish: the chosen versions pass their gates, and are stored as rendered at the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from abtest.contract.page_specs import seo_of, spec_of
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.pages.addresses import refuse_reserved
from abtest.domain.pages.brand_gates import brand_verdicts
from abtest.domain.pages.gates import QaRequiredError, rechecked, refuse_failed
from abtest.domain.pages.model import LandingPage, Route
from abtest.domain.pages.publishes import Snapshot, Variant
from abtest.domain.pages.rules import refuse_foreign_forms
from abtest.domain.pages.site import Site
from abtest.domain.pages.versions import PageVersion
from abtest.kit.errors import FieldError
from abtest.ports.catalog import Catalog
from abtest.services.brand import read_brand
from abtest.services.pages.documents import PageDocuments
from abtest.services.pages.experiments import PageExperiments
from abtest.services.pages.live_hosts import is_claimed
from abtest.services.pages.sites import Sites
from abtest.services.pages.versions import PageVersions
from abtest.services.shops import shop_defaults


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
        version = self.versions.named(page, fields.get("version_id"), "version_id")
        address = self._address(page, fields)
        there = replace(page, publish_host=address.host, publish_path=address.path)
        site, is_overridden = self.sites.of(there), fields.get("override_gate") is not None
        if page.publish_mode == "export":
            # A file has no server that could choose a variant.
            overridden = self._checked(page, version, site, is_overridden=is_overridden)
            file = self.documents.file_of(version, site)
            return Snapshot(
                version_id=version.id, address=address, is_export=True, base=file, overridden=tuple(overridden)
            )
        linked = page.experiment
        arms = linked.versions if linked else {}
        shown = {variation_id: self.versions.named(page, each, "experiment") for variation_id, each in arms.items()}
        checked = (self._checked(page, each, site, is_overridden=is_overridden) for each in (version, *shown.values()))
        overridden = sorted(set(chain.from_iterable(checked)))
        if linked is not None:
            self.experiments.check(there, linked)
        variants = [
            Variant(
                variation_id=variation_id,
                document=self.documents.of(each, site, f"{linked.experiment_id}:{variation_id}"),
            )
            for variation_id, each in shown.items()
            if linked is not None
        ]
        return Snapshot(
            version_id=version.id,
            address=address,
            base=self.documents.of(version, site),
            experiment_id=linked.experiment_id if linked else None,
            variants=tuple(variants),
            overridden=tuple(overridden),
        )

    def repeated(self, page: LandingPage, kept: Snapshot) -> Snapshot:
        """Return what an earlier publish kept, which needs no gate. Raises UrlNotAllowedError, ValidationFailedError.

        Its host must still be the shop's, and so must the hosts that its forms post to: the stored policy allows them.
        """
        self._refuse_host(page.shop_id, kept.address.host, "publish_id")
        site = self.sites.of(page)
        for document in (kept.base, *(variant.document for variant in kept.variants)):
            version = self.versions.named(page, document.version_id, "publish_id")
            refuse_foreign_forms(spec_of(version.spec), site.form_hosts)
        return kept

    def _refuse_host(self, shop_id: str, host: str, field: str) -> None:
        """Raise UrlNotAllowedError unless the shop has claimed the host. One of another shop gives the same error."""
        message = "must be one of the shop's install domains; add it there first"
        if self.sites.is_own(host):
            message = "belongs to this service; choose a host of the shop"
        elif is_claimed(self.catalog, shop_id, host):
            return
        raise UrlNotAllowedError(f"{field}: {message}", fields=[FieldError(field, message)])

    def _checked(self, page: LandingPage, version: PageVersion, site: Site, *, is_overridden: bool) -> list[str]:
        """The failed checks that are overridden. Raises GateFailedError, QaRequiredError, ValidationFailedError."""
        # The brand context is that of today, not that of the report; so are the hosts that forms may post to.
        spec = spec_of(version.spec)
        refuse_foreign_forms(spec, site.form_hosts)
        brand, seo = read_brand(self.catalog, page.shop_id), seo_of(version.seo_manifest)
        verdicts = brand_verdicts(spec, seo, version.claims, brand)
        report = rechecked(version.gate_report, verdicts, version.gate_report["checked_at"])
        overridden = refuse_failed(version.version_number, report, is_overridden=is_overridden)
        if not page.is_approved(version.id) and shop_defaults(self.catalog, page.shop_id)["require_landing_qa"]:
            raise QaRequiredError(version.version_number)
        return overridden

    def _address(self, page: LandingPage, fields: Mapping[str, Any]) -> Route:
        host = fields.get("host") or page.publish_host
        path = fields.get("path") or page.publish_path or f"/{page.slug}"
        self._refuse_host(page.shop_id, host, "host")
        refuse_reserved(path, "path")
        return Route(host=host, path=path)
