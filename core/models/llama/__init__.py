"""llama.cpp in a process of its own: `client` is the side of the program, `worker` the other."""
