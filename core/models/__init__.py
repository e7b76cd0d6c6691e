"""Models that answer: GGUF files by llama.cpp, servers, recordings, a person.

It imports neither benchmarks nor runs; only `llama` imports llama.cpp, in a process of its own.
"""
