"""The operator's command line: the first shop and key of a deployment, and what no API key may change."""
