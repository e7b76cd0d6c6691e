"""The program in a browser: who may come in, the page, and a process for each tab."""
