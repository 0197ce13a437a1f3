"""Rule tester: whether an address is on pages, and which rule decides."""

from collections.abc import Sequence

from abtest.domain.reusable.matching import Verdict, match
from abtest.domain.targeting.checks import check_pages
from abtest.domain.targeting.shapes import TargetedPage
from abtest.domain.targeting.urls import parse_address
from abtest.kit.errors import refused
from abtest.services.context import World
from abtest.services.reusable.references import with_pages


class PageMatch:
    """Tests rules that are stored, or that are about to be."""

    def __init__(self, world: World) -> None:
        self._catalog = world.catalog

    def test(
        self, shop_id: str, url: str, *, rules: Sequence[TargetedPage] | None = None, page_id: str | None = None
    ) -> Verdict:
        """How page rules, or else a page of the shop, decide on the address.

        Raises ValidationFailedError for an address that is none and for unknown pages, and UnsafeRegexError.
        """
        if parse_address(url) is None:
            raise refused("url", "must be a web address, such as https://shop.example/cart")
        if rules is None:
            return match(self._resolved(shop_id, [{"id": page_id or "", "pageId": page_id or ""}], "page_id"), url)
        check_pages(rules, "rules")
        return match(self._resolved(shop_id, rules, "rules[{index}].pageId"), url)

    def _resolved(self, shop_id: str, rules: Sequence[TargetedPage], path: str) -> list[TargetedPage]:
        resolved = (with_pages(self._catalog, shop_id, {"pageRules": list(rules)}) or {})["pageRules"]
        for index, rule in enumerate(resolved):
            # `with_pages` leaves unknown ids as they are, so a rule that still has no rules named no page.
            if "includeRules" not in rule:
                raise refused(path.format(index=index), "there is no such page")
        return list(resolved)
