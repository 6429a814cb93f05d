"""The vocabulary that records are written in: unit, point, shape, dtype, derivative, batching."""
