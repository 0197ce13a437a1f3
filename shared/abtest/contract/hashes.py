"""Hashes on the wire."""

from typing import Annotated

from abtest.contract.forms import Form

Sha256 = Annotated[str, Form("[0-9a-f]{64}", "be a SHA-256 in 64 hexadecimal digits, in lower case")]
