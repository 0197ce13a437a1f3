"""Names of cookies that more than one part of the service reads."""

SESSION = "__Host-svc_session"
"""Session of the console. Only the store knows whether it lasts."""
