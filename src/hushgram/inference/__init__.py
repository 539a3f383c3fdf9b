"""Inference: kernels that turn noisy numbers into better ones; no private number comes here."""
