"""HTTP client for addresses that customers or operators configure."""

from abtest.adapters.outbound_http.sender import Limits, OutboundHttp

__all__ = ["Limits", "OutboundHttp"]
