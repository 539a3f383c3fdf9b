"""Pages for a browser: the Explorer, which shows a release, and the Studio for stewards."""
