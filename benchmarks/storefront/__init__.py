"""The storefront beside its peers: sizes, flicker, blocking time, evaluation and observer overhead."""
