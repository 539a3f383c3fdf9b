"""Helpers without a subject: text, files, exact numbers, compiled loops, progress."""
