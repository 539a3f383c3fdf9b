"""Groups, marginals, views and SQL."""
