"""Functions of an estimate: queries cost nothing and touch no data."""
