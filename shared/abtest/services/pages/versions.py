"""Use cases of versions: written, rendered and stored once; listed, read, made current again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from abtest.contract.briefs import LandingPageContentBrief
from abtest.contract.landing_pages import SHOWN_VERSIONS
from abtest.contract.page_specs import seo_of, spec_of
from abtest.domain.assets.model import Asset, AssetUse
from abtest.domain.changes.change import Change, Occasion
from abtest.domain.pages.gates import gate_report
from abtest.domain.pages.model import MAX_VERSIONS, LandingPage, VersionEntry
from abtest.domain.pages.render import RenderedPage, render
from abtest.domain.pages.routes import PAGE_CONTENT_TYPE, html_key
from abtest.domain.pages.rules import (
    MAX_REST_BYTES,
    asset_uses,
    refuse_conflicts,
    refuse_foreign_forms,
    refuse_large,
    refuse_unfit_assets,
)
from abtest.domain.pages.site import Site
from abtest.domain.pages.spec import PageSpec, Seo
from abtest.domain.pages.states import refuse_archived, status_with
from abtest.domain.pages.versions import PageVersion, proposed_claims
from abtest.kit.documents import encode
from abtest.kit.errors import LimitReachedError, NotFoundError, refused
from abtest.kit.json_objects import present
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import Commit, together
from abtest.services.aggregates import Saved
from abtest.services.assets.uses import AssetLibrary, uses_commit
from abtest.services.brand import read_brand
from abtest.services.context import Caller
from abtest.services.listing import EVERYTHING, Listing
from abtest.services.pages.briefs import ContentBriefs
from abtest.services.pages.children import put_version, read_reports, read_version, version_in
from abtest.services.pages.documents import site_digest
from abtest.services.pages.pages import LandingPages
from abtest.services.pages.sites import Sites
from abtest.services.retries import Versions, retried

_TITLE_CHARACTERS = 70


class Rendering(NamedTuple):
    """Page that a spec and an SEO manifest give, and what it was made with."""

    page: RenderedPage
    spec: PageSpec
    seo: Seo
    seo_manifest: Mapping[str, Any]
    site: Site
    assets: Sequence[Asset]


class PageVersions:
    """Versions of landing pages. `delivery` has the rendered pages."""

    def __init__(
        self, pages: LandingPages, briefs: ContentBriefs, sites: Sites, library: AssetLibrary, delivery: Blobs
    ) -> None:
        self.pages = pages
        self._briefs = briefs
        self._sites = sites
        self._library = library
        self._delivery = delivery
        self._catalog = pages.world.catalog
        self._listing = Listing(self._catalog, "LPV", version_in, plural="versions")

    def create(self, caller: Caller, page_id: str, fields: Mapping[str, Any]) -> PageVersion:
        """Write and render the next version, which becomes the current one; an approved page is a draft again.

        Raises NotFoundError, InvalidStateTransitionError, DocumentTooLargeError, ValidationFailedError,
        LimitReachedError.
        """
        world = self.pages.world
        version_id, mark = world.new_id(), world.audit_row_id()

        def attempt() -> PageVersion:
            page = self.pages.get(caller.shop_id, page_id)
            if world.is_stored(caller.shop_id, mark):
                return self.get(caller.shop_id, page_id, version_id)[1]
            refuse_archived(page, "versions")
            if len(page.versions) >= MAX_VERSIONS:
                raise LimitReachedError(f"a landing page has {MAX_VERSIONS} versions at most; create another page")
            version, assets = self._written(page, version_id, fields, self.pages.occasion(caller))
            self._store(caller, page, version, assets, mark)
            return version

        return retried(attempt)

    def page(
        self, shop_id: str, page_id: str, *, limit: int, after: str | None
    ) -> tuple[list[PageVersion], str | None]:
        """Return versions of a page, newest first, and the key that continues the list. Raises NotFoundError."""
        self.pages.get(shop_id, page_id)
        versions, last = self._listing.page(shop_id, EVERYTHING, limit=limit, after=after, parent_id=page_id)
        return self._reported(shop_id, page_id, versions), last

    def get(self, shop_id: str, page_id: str, reference: str) -> tuple[LandingPage, PageVersion]:
        """Return a page and its version with this number or id. Raises NotFoundError."""
        page = self.pages.get(shop_id, page_id)
        version_id = reference
        if reference.isdigit() and 0 < int(reference) <= len(page.versions):
            version_id = page.versions[int(reference) - 1].id
        return page, self._reported(shop_id, page_id, [read_version(self._catalog, shop_id, page_id, version_id)])[0]

    def named(self, page: LandingPage, version_id: str | None, field: str) -> PageVersion:
        """Return the version that a field of a request names, by default the current one.

        Raises ValidationFailedError.
        """
        version_id = version_id or page.current_version_id
        if version_id is None:
            raise refused(field, "the landing page has no version yet")
        try:
            return self.get(page.shop_id, page.id, version_id)[1]
        except NotFoundError:
            raise refused(field, "there is no such version of this landing page") from None

    def shown_with(self, page: LandingPage) -> Sequence[PageVersion]:
        """Return the versions that a page is shown with: the newest, and those it names."""
        newest, _ = self._listing.page(page.shop_id, EVERYTHING, limit=SHOWN_VERSIONS, after=None, parent_id=page.id)
        named = {page.current_version_id, page.published_version_id} - {version.id for version in newest}
        ids = sorted(version_id for version_id in named if version_id)
        records = self._catalog.get_many(page.shop_id, "LPV", ids, parent_id=page.id)
        return self._reported(page.shop_id, page.id, [*newest, *map(version_in, records)])

    def restore(
        self, caller: Caller, page_id: str, reference: str, *, expected_version: Versions
    ) -> Saved[LandingPage]:
        """Make a version the current one again. Raises NotFoundError, InvalidStateTransitionError."""
        _, version = self.get(caller.shop_id, page_id, reference)

        def decide(before: LandingPage, occasion: Occasion) -> Change[LandingPage]:
            refuse_archived(before, "restore")
            after = before
            if before.current_version_id != version.id:
                after = replace(
                    before,
                    current_version_id=version.id,
                    status=status_with(before, version.id),
                    updated_at=occasion.now,
                )
            return Change(before=before, after=after, action="landing_page.restore_version")

        return self.pages.change(caller, page_id, decide, expected_version=expected_version)

    def _reported(self, shop_id: str, page_id: str, versions: Sequence[PageVersion]) -> list[PageVersion]:
        """The versions with their latest reports. Each report changes the row version, and with it the ETag."""
        reports = read_reports(self._catalog, shop_id, page_id, [version.id for version in versions])
        return [
            replace(version, gate_report=report.gate_report, version=version.version + report.version)
            if (report := reports.get(version.id))
            else version
            for version in versions
        ]

    def rendered(self, page: LandingPage, fields: Mapping[str, Any]) -> Rendering:
        """Return what a version with these fields would show; nothing is stored.

        Raises DocumentTooLargeError, ValidationFailedError.
        """
        refuse_large(fields["spec"])
        seo_manifest = fields.get("seo_manifest") or {"title": page.name[:_TITLE_CHARACTERS]}
        spec, seo = spec_of(fields["spec"]), seo_of(seo_manifest)
        refuse_conflicts(spec)
        assets = self._library.usable(page.shop_id, [asset_id for _, asset_id, _ in asset_uses(spec, seo)])
        facts = self._library.facts(assets)
        refuse_unfit_assets(spec, seo, facts)
        site = self._sites.of(page)
        refuse_foreign_forms(spec, site.form_hosts)
        return Rendering(render(spec, assets=facts, seo=seo, site=site), spec, seo, seo_manifest, site, assets)

    def _written(
        self, page: LandingPage, version_id: str, fields: Mapping[str, Any], occasion: Occasion
    ) -> tuple[PageVersion, Sequence[Asset]]:
        """The version, with its HTML in the store, and the assets that it uses."""
        rendered, spec, seo, seo_manifest, site, assets = self.rendered(page, fields)
        digest = sha256(rendered.html).hexdigest()
        brand = read_brand(self._catalog, page.shop_id)
        claims = fields["claims"] if "claims" in fields else list(proposed_claims(spec))
        version = PageVersion(
            id=version_id,
            shop_id=page.shop_id,
            version=1,
            landing_page_id=page.id,
            version_number=len(page.versions) + 1,
            spec=fields["spec"],
            **self._brief(page.shop_id, fields.get("brief_id")),
            gate_report=gate_report(
                rendered, spec=spec, seo=seo, site=site, claims=claims, brand=brand, now=occasion.now
            ),
            claims=tuple(claims),
            seo_manifest=seo_manifest,
            render_manifest={
                "sha256": digest,
                "bytes": len(rendered.html),
                "nodes": rendered.nodes,
                "policy": rendered.policy,
                "site": site_digest(site),
                "renderer_version": rendered.renderer_version,
                "asset_ids": list(rendered.assets),
            },
            html_key=html_key(digest),
            created_by=occasion.user_id,
            created_at=occasion.now,
        )
        refuse_large(encode(version, omit=("spec",)), "claims, seo_manifest and brief of a version", MAX_REST_BYTES)
        # Needs no condition: the key is the hash of the content.
        self._delivery.put(html_key(digest), rendered.html, content_type=PAGE_CONTENT_TYPE)
        return version, assets

    def _brief(self, shop_id: str, brief_id: str | None) -> Mapping[str, Any]:
        if brief_id is None:
            return {}
        briefs = self._briefs.get_many(shop_id, [brief_id])
        if not briefs:
            raise refused("brief_id", "there is no such content brief")
        return {"brief_id": brief_id, "brief_snapshot": LandingPageContentBrief.of(briefs[0]).model_dump()}

    def _store(
        self, caller: Caller, page: LandingPage, version: PageVersion, assets: Sequence[Asset], mark: str | None
    ) -> None:
        after = replace(
            page,
            versions=(*page.versions, VersionEntry(id=version.id, created_at=version.created_at)),
            current_version_id=version.id,
            # A published version stays online; the page is a draft because this one is not approved.
            status="draft",
            updated_at=version.created_at,
        )
        note = present(version_number=version.version_number, html_key=version.html_key)
        change = Change(before=page, after=after, action="landing_page.add_version", note=note)
        uses = uses_commit(assets, AssetUse(kind="LP", id=page.id))
        self.pages.save(caller.user_id, change, together(Commit(puts=[put_version(version)]), uses), row_id=mark)
