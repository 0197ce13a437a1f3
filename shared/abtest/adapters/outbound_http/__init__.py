"""HTTP requests to addresses outside."""

from abtest.adapters.outbound_http.sender import Limits, OutboundHttp

__all__ = ["Limits", "OutboundHttp"]
