"""Serves the demo shop: /, /product, /product-b and /checkout."""

from __future__ import annotations

import re
from html import escape
from http import HTTPStatus
from pathlib import Path
from string import Template
from urllib.parse import parse_qs

from tools.local.store.catalogue import BY_SLUG, CURRENCY, FIRST, PRODUCTS, Product
from tools.local.store.drawings import drawing
from tools.local.web.messages import Request, Response

PAGES = Path(__file__).with_name("pages")
_SHOP_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ASSETS = {"/shop.css": "text/css; charset=utf-8", "/shop.js": "text/javascript; charset=utf-8"}


def _template(name: str) -> Template:
    return Template((PAGES / name).read_text())


class Store:
    """The shop; its pages carry the tag as soon as the stack knows a shop id."""

    def __init__(self, worker_base_url: str) -> None:
        self.shop_id = ""
        self._worker_base_url = worker_base_url
        self._layout = _template("layout.html")

    async def handle(self, request: Request) -> Response:
        """Answer one request; anything that is not a page is a 404 page."""
        if request.method not in {"GET", "HEAD"}:
            return Response(HTTPStatus.METHOD_NOT_ALLOWED, [("allow", "GET, HEAD")])
        if type_ := _ASSETS.get(request.path):
            return Response(HTTPStatus.OK, [("content-type", type_)], (PAGES / request.path[1:]).read_bytes())
        given = {name: values[0] for name, values in parse_qs(request.query).items()}
        product = BY_SLUG.get(given.get("item", ""), FIRST)
        match request.path:
            case "/":
                return self._page("Everyday things, made well", self._list())
            case "/product":
                return self._page(product.name, self._product("product.html", product))
            case "/product-b":
                return self._page(product.name, self._product("product-b.html", product))
            case "/checkout":
                return self._page("Checkout", self._checkout(product, placed="placed" in given))
        missing = "<h1>There is no such page</h1><p><a href='/'>Back to the shop</a></p>"
        return self._page("Not found", missing, HTTPStatus.NOT_FOUND)

    def _page(self, title: str, main: str, status: int = HTTPStatus.OK) -> Response:
        page = self._layout.substitute(tag=self._tag(), title=escape(title), main=main)
        headers = [("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store")]
        return Response(status, headers, page.encode())

    def _tag(self) -> str:
        """The SDK's synchronous tag, first in the head, as a merchant pastes it."""
        if not _SHOP_ID.fullmatch(self.shop_id):
            return "<!-- no shop yet: the SDK's tag goes here -->"
        origin = escape(self._worker_base_url)
        return f'<link rel="preconnect" href="{origin}">\n<script src="{origin}/s/{self.shop_id}.js"></script>'

    def _list(self) -> str:
        cards = "".join(
            f'<li class="card"><a href="/product?item={product.slug}">{drawing(product)}'
            f'<span class="name">{product.name}</span><span class="price">{product.price}</span></a></li>'
            for product in PRODUCTS
        )
        return _template("list.html").substitute(cards=cards)

    def _product(self, page: str, product: Product) -> str:
        return _template(page).substitute(_words(product))

    def _checkout(self, product: Product, *, placed: bool) -> str:
        if placed:
            return _template("thanks.html").substitute()
        return _template("checkout.html").substitute(_words(product))


def _words(product: Product) -> dict[str, object]:
    return {
        "slug": product.slug,
        "name": product.name,
        "line": product.line,
        "price": product.price,
        "amount": f"{product.cents / 100:.2f}",
        "currency": CURRENCY,
        "drawing": drawing(product),
    }
