"""The page of the console for one address: the scripts of its screen, and what to show and to read until they run.

`make console` writes `index.html` with places for these, and `screens.json`: the `frame` around every screen, with
`{shop}` for the shop, and by screen a `pattern` of its address behind the shop, its `place` in the navigation, its
`scripts`, and what it reads `first`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from abtest.kit import canonical_json

_ADDRESS = re.compile(r"/console/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})((?:/.*)?)", re.ASCII)
_SCRIPTS = "<!-- scripts of the screen -->\n"
_FRAME = "<!-- frame -->"
_NAMED = 'data-shop="" data-first=""'


@dataclass(frozen=True)
class ConsolePage:
    """The page and its screens, as they were built."""

    page: str
    screens: Mapping[str, Any]

    @classmethod
    def of(cls, page: str, screens: str) -> "ConsolePage":
        """Read the two files."""
        return cls(page, canonical_json.loads(screens))

    def at(self, path: str, *, has_session: bool) -> str:
        """Return the page for an address; `has_session` shows the frame and begins to read.

        Whether the session lasts is not known here: where it has ended, the sign-in takes the place of the frame.
        """
        address = _ADDRESS.fullmatch(path)
        if not address:
            return self._filled("", "", _NAMED)
        shop_id, rest = address.groups()
        screen = self._screen(rest)
        scripts = "".join(
            f'<link rel="modulepreload" href="/console/assets/{name}">\n' for name in screen.get("scripts", ())
        )
        if not has_session:
            return self._filled(scripts, "", _NAMED)
        link = f'href="/console/{shop_id}{screen.get("place") or ""}"'
        frame = self.screens["frame"].replace("{shop}", shop_id)
        if screen.get("place") is not None:
            frame = frame.replace(link, f'{link} aria-current="page"')
        named = f'data-shop="{shop_id}" data-first="{escape(screen.get("first") or "")}"'
        return self._filled(scripts, frame, named)

    def _screen(self, rest: str) -> Mapping[str, Any]:
        screens: Sequence[Mapping[str, Any]] = self.screens["screens"]
        return next((each for each in screens if re.fullmatch(each["pattern"], rest)), {})

    def _filled(self, scripts: str, frame: str, named: str) -> str:
        return self.page.replace(_SCRIPTS, scripts).replace(_FRAME, frame).replace(_NAMED, named)
