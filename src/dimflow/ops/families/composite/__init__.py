"""Ops that are defined by others: activations, normalisation."""
