"""Models that answer: GGUF files by llama.cpp, servers, recordings, a person.

Nothing here knows benchmarks or runs; only `llama` imports llama.cpp, in a process of its own.
"""
