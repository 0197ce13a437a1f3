"""Secrets sealed by the key service."""

from abtest.adapters.kms.sealer import KmsSealer

__all__ = ["KmsSealer"]
