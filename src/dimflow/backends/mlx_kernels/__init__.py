"""Kernels that MLX needs of its own, by the family of the op."""
