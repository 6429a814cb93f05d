"""Programs that use dimflow: what `make demo` runs, a tour, and six worked examples."""
