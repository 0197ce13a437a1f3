"""HTTP server on loopback for browsers, which close connections as they like."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class BrowserServer(ThreadingHTTPServer):
    """Server on a free port, with a thread for each connection."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a browser that closes its connections."""
