"""Code that is loaded when it is needed: files of their own, named by their hash, which never change.

Large code would be loaded by everybody, and code for younger browsers would be an error of the whole file in others.
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
    """A file beside the snippet: `<name>.<kind>`."""

    name: str
    kind: Kind
    content: bytes

    @property
    def file(self) -> str:
        """The last part of its address."""
        return f"{self.name}.{self.kind}"


def script_chunk(source: str, scripts: Scripts) -> Chunk | None:
    """The chunk of a script without problems; None where it may stand in the snippet.

    The name is the hash of all but the name itself, which stands in the content.
    """
    if len(source.encode()) <= INLINE_BYTES and not scripts.is_young(source):
        return None
    name = sha256(_call("", source)).hexdigest()
    return Chunk(name, "js", _call(name, source))


def style_chunk(css: str) -> Chunk | None:
    """The chunk of a style sheet; None where it may stand in the config, and where no file can hold it."""
    content = css.encode(errors="surrogatepass")
    if len(content) <= INLINE_BYTES or content != css.encode(errors="replace"):
        return None
    return Chunk(sha256(content).hexdigest(), "css", content)


def _call(name: str, source: str) -> bytes:
    return f'svc.chunk("{name}",function(){{\n{source}\n}});\n'.encode()
