"""Traces of real clusters: reading them, accepting their jobs, and making instances of them."""
