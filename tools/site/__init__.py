"""The pages of the site that are made from the code and from runs of it."""
