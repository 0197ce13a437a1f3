"""Pictures, with Pillow."""

from abtest.adapters.images.pillow import PillowCodec

__all__ = ["PillowCodec"]
