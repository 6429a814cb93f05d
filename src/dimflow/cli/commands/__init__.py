"""The commands, one file each: `add_arguments(parser)` says what it takes, `run(arguments)` does it.

A command is found by the name of its file; its line of help stands in `dimflow.cli.program`.
"""
