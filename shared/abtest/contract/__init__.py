"""Wire models: what requests may say and what answers look like, one module a resource.

Inputs tell an absent field from a null one and refuse unknown fields; outputs have no defaults: what an answer lacks
was left out on purpose. Rules that span several fields are the domain's.
"""
