"""The management API of assets."""
