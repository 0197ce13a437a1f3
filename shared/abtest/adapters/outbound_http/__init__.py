"""HTTP requests to addresses outside."""

from abtest.adapters.outbound_http.sender import OutboundHttp

__all__ = ["OutboundHttp"]
