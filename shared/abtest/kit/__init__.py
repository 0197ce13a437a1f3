"""Small tools on the standard library only: ids, canonical JSON, money, time."""
