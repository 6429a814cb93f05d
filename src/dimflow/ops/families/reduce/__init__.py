"""One value from many: reductions, scans, statistics, histograms, segments."""
