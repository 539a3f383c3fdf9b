"""Real servers for tests, started on loopback and stopped at the end of the run."""
