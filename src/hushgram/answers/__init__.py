"""Free functions over an estimate: queries cost nothing and touch no data."""
