"""What a data owner runs on their own rows. It sees private rows, and its results are private."""
