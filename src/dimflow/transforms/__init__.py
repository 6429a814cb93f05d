"""What users apply to functions of arrays: checks, derivatives, batches, loops.

They are found as `dimflow.grad` and the like. Each stands in a file of its own, which is loaded
alone: who checks units loads no engine.
"""
