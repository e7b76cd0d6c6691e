"""The program in a web browser: access by token, the page, and a process for each tab.

Nothing here knows what the program shows.
"""
