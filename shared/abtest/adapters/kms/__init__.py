"""Encryption of secrets by KMS."""

from abtest.adapters.kms.sealer import KmsSealer

__all__ = ["KmsSealer"]
