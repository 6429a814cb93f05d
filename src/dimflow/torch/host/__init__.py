"""What each function of PyTorch does to units: data, and what reads them."""
