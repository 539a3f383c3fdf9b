"""How a domain is divided and measured. Integer arithmetic only."""
