"""The errors to expect before anything is spent, simulated on generated data, never on a table."""
