"""Answers every path with the path."""


def handler(event, _context):
    """Echo method, path and host."""
    http = event["requestContext"]["http"]
    return f"{http['method']} {event['rawPath']} {event['headers'].get('host', '')}"
