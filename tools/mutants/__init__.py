"""Mutation testing of the trusted zone: see `__main__`."""
