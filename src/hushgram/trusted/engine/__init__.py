"""One verb: count a partition, exactly, where the table lives. The only room that knows Ibis."""
