"""Releases for human readers: charts and the report."""
