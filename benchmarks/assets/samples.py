"""Files that are measured: a picture of twelve megapixels with detail and noise, and the icons of bootstrap-icons."""

from functools import cache
from io import BytesIO
from typing import Any

from PIL import Image, ImageChops

SIZE = (4000, 3000)


@cache
def photo() -> Image.Image:
    """Return colors that change slowly, with the noise of a sensor."""
    ramp = Image.linear_gradient("L")
    channels = [ramp.rotate(turn).resize(SIZE) for turn in (0, 90, 180)]
    noise = Image.effect_noise(SIZE, 12)
    return Image.merge("RGB", [ImageChops.add(channel, noise, scale=2) for channel in channels])


def encoded(form: str, **options: Any) -> bytes:
    """Return the picture in a format of Pillow, with a camera's metadata."""
    exif = Image.Exif()
    exif[0x010F] = "Camera"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0)})
    target = BytesIO()
    photo().save(target, form, exif=exif, **options)
    return target.getvalue()
