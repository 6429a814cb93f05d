"""The commands, one file each: `add_arguments` says what it takes, `run` does it.

A command is found by the name of its file; its line of help stands in `dimflow.cli.program`.
`run` returns the exit code.
"""
