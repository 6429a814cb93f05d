"""The `dimflow` command: convert values, look up units and constants."""

from dimflow.cli.program import main

__all__ = ["main"]
