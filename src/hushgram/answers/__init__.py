"""Free functions over an estimate: questions cost nothing, and touch no data."""
