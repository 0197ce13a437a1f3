"""Decisions by shop: messages of DecideQueue, who sends them, and the turns of auto-stop and Guardian they bring."""
