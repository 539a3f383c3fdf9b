"""General helpers: text, files, exact numbers, compiled loops, progress."""
