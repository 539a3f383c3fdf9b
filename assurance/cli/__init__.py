"""The commands of ``./hush assurance``."""
