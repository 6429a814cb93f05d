"""The entries of the table, one folder for each family and one file for each idea in it."""
