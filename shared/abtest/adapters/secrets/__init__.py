"""The deployment's root keys, from Secrets Manager."""

from abtest.adapters.secrets.root_keys import SecretRootKeys, SecretUnavailableError

__all__ = ["SecretRootKeys", "SecretUnavailableError"]
