"""Verdict of a check: its status, and a message unless it passed."""

from typing import Literal

CheckStatus = Literal["pass", "warn", "fail"]
Verdict = tuple[CheckStatus, str]
PASSED: Verdict = ("pass", "")
