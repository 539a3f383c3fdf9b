"""How often intervals hold the truth, on real and generated tables. NONPRIVATE."""
