"""Workspace files: those of the team, and those that the service generates."""
