"""Window of a browser."""

from dataclasses import dataclass

TOUCH_BELOW = 768
"""Width in pixels below which a device is a phone."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """Window of a browser; `device_scale` is the pixels of the device for one of the page."""

    width: int
    height: int
    device_scale: int = 1
    touch: bool = False


PHONE = Viewport(390, 844, 2, touch=True)
DESKTOP = Viewport(1280, 800)
