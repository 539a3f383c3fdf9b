"""Counting in an engine, by Ibis expressions."""
