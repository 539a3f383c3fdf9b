"""Releases shown to people: charts and the report."""
