"""Studies on the screen: the list of them, what each found, and the items behind every cell.

A study that is begun here goes on as long as its screen is open; what it measured is kept.
"""
