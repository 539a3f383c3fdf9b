"""Tools for data owners to run on their own rows. Results are as private as the rows."""
