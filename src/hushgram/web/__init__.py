"""Pages for a browser: the Explorer, which shows a release to anybody, and the Studio of stewards."""
