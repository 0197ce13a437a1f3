"""ICC color profiles, by their headers."""

from enum import StrEnum

MAX_PROFILE_BYTES = 1 << 20


class ColorSpace(StrEnum):
    """Color space that the values of a profile's pixels are in, as its header writes it."""

    RGB = "RGB "
    GRAY = "GRAY"
    CMYK = "CMYK"


def color_space(profile: bytes) -> ColorSpace | None:
    """Return the color space of a profile; None when browsers would not use it."""
    if not 132 <= len(profile) <= MAX_PROFILE_BYTES or profile[36:40] != b"acsp":
        return None
    if int.from_bytes(profile[:4], "big") != len(profile):
        return None
    try:
        return ColorSpace(profile[16:20].decode("latin-1"))
    except ValueError:
        return None
