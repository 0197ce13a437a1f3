"""Limits on the parts of an experiment; lengths of single fields are in the contract models."""

MIN_VARIATIONS = 2
MAX_VARIATIONS = 10
"""Variations in use; archived ones are not counted."""

MAX_STORED_VARIATIONS = 30
"""Variations in use and archived ones together."""

MAX_GOALS = 50
MAX_APPROVAL_EVENTS = 500
MAX_CONFIG_BYTES = 2 << 20
"""Bytes that storefronts may load as a shop's configuration; no experiment in it is larger."""

WEIGHT_TOLERANCE = 1e-6
MAX_BYTES = 4_000_000
"""Size of the whole experiment as JSON. Lambda responses are limited to 6 MB, and base64 adds a third."""

NAME_LENGTH = 255
