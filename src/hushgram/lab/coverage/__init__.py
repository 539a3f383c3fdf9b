"""How often intervals contain the truth, on real and generated tables. NONPRIVATE."""
