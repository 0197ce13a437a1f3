"""Values that landing pages and briefs share."""

from typing import Literal

PageType = Literal["landing", "advertorial", "listicle", "product", "collection", "quiz", "other"]
"""Form of a landing page, and the format of a brief."""
