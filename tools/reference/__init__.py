"""Parts of the OpenAPI document beyond the routes: names, descriptions, examples, tags, webhooks.

Only the generator of the document reads this package, so that no function pays for these texts at a cold start.
"""
