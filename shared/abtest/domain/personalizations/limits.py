"""How many of each a personalization may hold, and how much; lengths of single fields stand in the contract models."""

MAX_RULES = 50
MAX_EXPERIENCES = MAX_RULES + 1
"""One for each rule, and the default."""

MAX_GOALS = 10

MAX_FIELD = 200_000
"""Characters of one code field."""

MAX_CODE = 500_000
"""Characters that the code fields and the serialized mutations of one experience may have together."""

MAX_BYTES = 4_000_000
"""Of the whole personalization as JSON: an answer ends at 6 MB."""

NAME_LENGTH = 255
KEY_LENGTH = 100
