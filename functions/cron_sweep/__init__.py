"""Finishes interrupted work every minute: publications, spilled events, jobs, webhooks, files of assets."""
