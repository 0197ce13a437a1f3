"""The management API of feature flags."""
