"""The management API of what a shop's team reads and writes next to its experiments."""
