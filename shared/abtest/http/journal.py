"""Structured log of the management API: event names, ids and times, but no bodies, secrets or data of visitors."""

from aws_lambda_powertools import Logger

journal = Logger(child=False)
