"""FastAPI plumbing, once for every family: keys, limits, bodies, errors, paging, idempotency, reference.

A family writes `router = Router("/things", tag="Things")` and routes of five lines; `factory.create_app` does the rest.
"""
