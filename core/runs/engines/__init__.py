"""Where the work of a command is done: in this process, or on the workers of dask.distributed.

Prompts are made and answers recorded in the calling process with any engine; workers hold a model
and answer requests.
"""
