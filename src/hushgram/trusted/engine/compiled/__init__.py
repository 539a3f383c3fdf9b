"""Counting Arrow batches in this process, by compiled loops."""
