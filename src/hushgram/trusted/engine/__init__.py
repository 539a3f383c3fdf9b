"""One verb: count a partition, exactly, where the table is stored. The only package that knows
Ibis."""
