"""The same elements, otherwise arranged."""
