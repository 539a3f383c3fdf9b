"""The only code that touches private numbers."""
