"""A small HTTP/1.1 server on asyncio: strict about what it reads, silent about who reads it."""
