"""Root keys of the deployment in Secrets Manager."""

from abtest.adapters.secrets.root_keys import SecretRootKeys, SecretUnavailableError

__all__ = ["SecretRootKeys", "SecretUnavailableError"]
