"""The signature of Lambda handlers."""

from collections.abc import Callable
from typing import Any

Handler = Callable[[Any, Any], Any]
