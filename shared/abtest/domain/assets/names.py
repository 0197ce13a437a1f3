"""Names of stored files."""

import re
import unicodedata

from abtest.domain.assets.errors import FILE_NAME, InvalidAssetError
from abtest.domain.assets.types import AssetType

MAX_NAME_LENGTH = 100
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_PATH = re.compile(r"[/\\]")
_RENDITION = re.compile(r"w[0-9]{1,5}\.webp")


def file_name(given: str, asset_type: AssetType) -> str:
    """Return a name of letters, digits, `.`, `_` and `-` that ends in an extension of the type.

    Only the last part of a path counts. Accents are removed, other characters become `-`, and a name that is too long
    loses its end before the extension. Raises InvalidAssetError when nothing remains.
    """
    last = _PATH.split(given)[-1]
    # NFKC first, so that full-width letters are ASCII; NFKD then splits accents off their letters.
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", last))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    stem, _, extension = plain.rpartition(".")
    extension = extension.lower()
    if extension not in asset_type.extensions:
        stem, extension = plain, asset_type.extensions[0]
    stem = _OTHER.sub("-", stem).strip(".-_")
    stem = stem[: MAX_NAME_LENGTH - len(extension) - 1].rstrip(".-_")
    if not stem:
        raise InvalidAssetError("the file name needs a letter or digit (A-Z, a-z, 0-9) before its extension", FILE_NAME)
    name = f"{stem}.{extension}"
    # The renditions of a picture are stored next to it under such names.
    return f"image-{name}" if _RENDITION.fullmatch(name) else name
