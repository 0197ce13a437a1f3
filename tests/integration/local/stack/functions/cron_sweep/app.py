"""Returns its input; fails when that says so."""


def handler(event, _context):
    """Echo."""
    return {"swept": event["depth"]}
