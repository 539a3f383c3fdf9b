"""Generate the pages of the site that come from the code, and from running it."""
