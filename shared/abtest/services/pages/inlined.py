"""Assets inside of a page: their content as data addresses, for a file that loads nothing."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from abtest.domain.assets.facts import AssetFacts
from abtest.kit.errors import LimitReachedError, refused
from abtest.ports.asset_files import StoredFiles

MAX_BYTES = 2_500_000
"""Bytes of all files together. As base64 they have a third more, and a response has room for that."""

WIDEST = 1080
"""Pixels of the rendition that is taken: sharp on a phone, and legible on a desktop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InlinedAssets:
    """Contents of assets in the bucket of public files."""

    files: StoredFiles

    def of(self, shown: Mapping[str, AssetFacts]) -> dict[str, AssetFacts]:
        """Return the same assets with their content as the address.

        Raises LimitReachedError for more than 2.5 MB, ValidationFailedError for a file that is gone, and
        BlobsUnavailableError.
        """
        room, inlined = MAX_BYTES, {}
        for asset_id, facts in shown.items():
            address, mime_type = _chosen(facts)
            opened = self.files.open(urlsplit(address).path.removeprefix("/"), 0, None)
            if opened is None:
                raise refused("version_id", f"the file of the asset {asset_id} is gone")
            room -= opened.size
            if room < 0:
                opened.close()
                raise LimitReachedError(
                    f"an exported page has {MAX_BYTES:,} bytes of files at most; use smaller images"
                )
            content = b64encode(opened.read()).decode()
            inlined[asset_id] = replace(facts, url=f"data:{mime_type};base64,{content}", renditions=())
        return inlined


def _chosen(facts: AssetFacts) -> tuple[str, str]:
    fitting = [address for width, address in facts.renditions if width <= WIDEST]
    return (fitting[-1], "image/webp") if fitting else (facts.url, facts.mime_type)
