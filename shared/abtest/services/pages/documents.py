"""Documents of a publish: rendered at their address, and stored by hash in every encoding before a route names them."""

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from abtest.contract.page_specs import seo_of, spec_of
from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.pages.render import render
from abtest.domain.pages.routes import PAGE_CONTENT_TYPE, PageDocument, html_key
from abtest.domain.pages.rules import asset_uses, refuse_foreign_forms, refuse_unfit_assets
from abtest.domain.pages.site import Site
from abtest.domain.pages.versions import PageVersion
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.services.assets.uses import AssetLibrary
from abtest.services.pages.inlined import InlinedAssets


def site_digest(site: Site) -> str:
    """Return a digest, by which a version that was rendered for this very site is recognized."""
    return canonical_json.sha256(asdict(site))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDocuments:
    """Stored HTML in the delivery bucket."""

    delivery: Blobs
    library: AssetLibrary
    inlined: InlinedAssets

    def of(self, version: PageVersion, site: Site, mark: str | None = None) -> PageDocument:
        """Store a version as it is published at a site, and return its document.

        What was rendered for the very same site stays as it is, whatever the renderer makes of the spec today. Raises
        ValidationFailedError for a form on a host that the shop has no more, BlobsUnavailableError.
        """
        refuse_foreign_forms(spec_of(version.spec), site.form_hosts)
        html, policy = self._stored(version, site, mark) or self._rendered(version, site, mark)
        return self._kept(version, html, policy)

    def shown(self, version: PageVersion, site: Site) -> tuple[bytes, str]:
        """Return HTML and policy of a version as a publish at this site has them, without storing anything.

        Raises what `of` raises.
        """
        refuse_foreign_forms(spec_of(version.spec), site.form_hosts)
        return self._stored(version, site, None) or self._rendered(version, site, None)

    def file_of(self, version: PageVersion, site: Site) -> PageDocument:
        """Store a version as one file that needs nothing else, and return its document.

        Raises what `of` raises, and LimitReachedError for files that are too large.
        """
        refuse_foreign_forms(spec_of(version.spec), site.form_hosts)
        return self._kept(version, *self._rendered(version, replace(site, assets_origin="data:"), None, is_file=True))

    def html(self, document: PageDocument) -> bytes:
        """Return stored HTML. Raises NotFoundError, BlobsUnavailableError."""
        blob = self.delivery.get(html_key(document.sha256))
        if blob is None:
            raise NotFoundError("there is no such document")
        return blob.content

    def _kept(self, version: PageVersion, html: bytes, policy: str) -> PageDocument:
        digest = sha256(html).hexdigest()
        for encoding, encode in ENCODERS.items():
            with suppress(PreconditionFailedError):  # the same bytes are stored already
                key = html_key(digest, encoding)
                self.delivery.put(key, encode(html), content_type=PAGE_CONTENT_TYPE, if_absent=True)
        return PageDocument(
            sha256=digest,
            bytes=len(html),
            policy=policy,
            version_id=version.id,
            version_number=version.version_number,
        )

    def _stored(self, version: PageVersion, site: Site, mark: str | None) -> tuple[bytes, str] | None:
        if mark is not None or version.html_key is None or version.render_manifest.get("site") != site_digest(site):
            return None
        blob = self.delivery.get(version.html_key)
        return None if blob is None else (blob.content, version.render_manifest["policy"])

    def _rendered(
        self, version: PageVersion, site: Site, mark: str | None, *, is_file: bool = False
    ) -> tuple[bytes, str]:
        spec, seo = spec_of(version.spec), seo_of(version.seo_manifest)
        if is_file:
            # Messengers fetch the image of a preview by an address, which a file does not have.
            seo = replace(seo, og_image_asset_id=None)
        assets = self.library.shown(version.shop_id, [asset_id for _, asset_id, _ in asset_uses(spec, seo)])
        refuse_unfit_assets(spec, seo, assets)
        if is_file:
            assets = self.inlined.of(assets)
        rendered = render(spec, assets=assets, seo=seo, site=site, mark=mark, is_file=is_file)
        return rendered.html, rendered.policy
