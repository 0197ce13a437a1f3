"""Chunks: code in immutable files of their own, named by their hash and loaded when it is needed.

Large code would slow the snippet for all shoppers. Syntax of newer browsers would break the whole file in older ones.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from abtest.domain.delivery.scripts import Scripts

INLINE_BYTES = 10_240
"""Code of more bytes is a chunk."""

Kind = Literal["js", "css"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A file next to the snippet: `<name>.<kind>`."""

    name: str
    kind: Kind
    content: bytes

    @property
    def file(self) -> str:
        """Return the last part of its address."""
        return f"{self.name}.{self.kind}"


def script_chunk(source: str, scripts: Scripts, prefix: str = "") -> Chunk | None:
    """Return the chunk of a script without problems; None where the snippet can hold the script itself.

    The content registers itself under its name, so the name is the hash of the content with an empty name. Names begin
    with `prefix`.
    """
    if len(source.encode()) <= INLINE_BYTES and not scripts.is_young(source):
        return None
    # `format` does not read the inserted source again, so its braces are safe.
    call = 'svc.chunk("{name}",function(){{\n{source}\n}});\n'
    name = prefix + sha256(call.format(name="", source=source).encode()).hexdigest()
    return Chunk(name, "js", call.format(name=name, source=source).encode())


def style_chunk(css: str, prefix: str = "") -> Chunk | None:
    """Return the chunk of a style sheet; None where the config can hold it, and where it is not valid UTF-8."""
    content = css.encode(errors="surrogatepass")
    if len(content) <= INLINE_BYTES or content != css.encode(errors="replace"):
        return None
    return Chunk(prefix + sha256(content).hexdigest(), "css", content)
