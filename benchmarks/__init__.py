"""Suites, campaigns, results and the command line."""
