"""HTTP layer that all families share: keys, rate limits, bodies, errors, paging, idempotency, reference.

A family declares `router = Router("/things", tag="Things")` and short routes; `factory.create_app` does the rest.
"""
