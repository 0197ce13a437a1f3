"""The head of a page: the mark of a variant, the snippet, what search engines and link previews show, the styles."""

from abtest.domain.assets.facts import is_inline
from abtest.domain.pages.sections import Setting
from abtest.domain.pages.site import Site
from abtest.domain.pages.spec import FontAsset, Product, Seo
from abtest.domain.pages.stylesheet import font_url
from abtest.kit.markup import Html, data_block, el
from abtest.kit.money import exponent, to_minor

MARK = "svc-served"
"""Name of the meta element that names experiment and variation of a variant."""


def head(
    setting: Setting, seo: Seo, site: Site, style: str, mark: str | None, policy: str | None = None
) -> list[Html | list[Html] | None]:
    """Return the elements of the head. A file has its policy in it, and no script that it waits for."""
    canonical = seo.canonical or site.canonical_address
    return [
        el("meta", charset="utf-8"),
        # Before the snippet, which reads it as soon as it runs.
        el("meta", name=MARK, content=mark) if mark else None,
        el("meta", http_equiv="Content-Security-Policy", content=policy) if policy else None,
        el("script", async_="", src=site.snippet_address) if policy else el("script", src=site.snippet_address),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", seo.title),
        _meta("description", seo.description),
        _meta("robots", seo.robots),
        _meta("theme-color", setting.spec.theme.background),
        el("link", rel="canonical", href=canonical),
        _preview(setting, seo, site, canonical),
        _font(setting),
        el("style", Html(style)),
        [_offer(block, setting) for block in setting.spec.blocks if isinstance(block, Product)],
    ]


def _preview(setting: Setting, seo: Seo, site: Site, canonical: str) -> list[Html]:
    """Return the Open Graph tags, from which messengers and networks make a preview of a link."""
    facts = {
        "og:type": "website",
        "og:title": seo.title,
        "og:description": seo.description,
        "og:url": canonical,
        "og:site_name": site.shop_name,
    }
    if seo.og_image_asset_id:
        asset = setting.assets[seo.og_image_asset_id]
        facts |= {"og:image": asset.url, "og:image:width": str(asset.width), "og:image:height": str(asset.height)}
    tags = [el("meta", property=name, content=content) for name, content in facts.items() if content]
    card = "summary_large_image" if seo.og_image_asset_id else "summary"
    return [*tags, el("meta", name="twitter:card", content=card)]


def _meta(name: str, content: str | None) -> Html | None:
    return el("meta", name=name, content=content) if content else None


def _font(setting: Setting) -> Html | None:
    if not isinstance(setting.spec.theme.font, FontAsset):
        return None
    address = font_url(setting.spec.theme.font, setting.assets)
    if is_inline(address):
        return None
    return el("link", rel="preload", href=address, as_="font", type="font/woff2", crossorigin="")


def _offer(block: Product, setting: Setting) -> Html:
    """Return the product as schema.org describes it. Policies do not restrict data, so it needs no hash."""
    digits, image = exponent(block.currency), setting.assets[block.image.asset_id].url if block.image else None
    minor = to_minor(block.price, block.currency)
    amount = f"{minor / 10**digits:.{digits}f}"
    facts = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": block.name,
        **({"image": image} if image and not is_inline(image) else {}),
        "offers": {"@type": "Offer", "price": amount, "priceCurrency": block.currency},
    }
    return data_block(facts)
