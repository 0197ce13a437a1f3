"""The structured log of the management API: event names, ids and times; never a body, a secret or a visitor's data."""

from aws_lambda_powertools import Logger

journal = Logger(child=False)
