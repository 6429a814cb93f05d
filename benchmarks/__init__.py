"""Benchmarks: `python -m benchmarks` prints the tables, keeps the numbers, draws the plots.

A suite is one file in `benchmarks/suites`; nothing else has to change for a new one.
"""
