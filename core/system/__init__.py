"""What only POSIX systems have, each with what stands in its place elsewhere.

Nothing else in the program names a lock, a limit or a signal that a system may lack, so that every
module can be imported everywhere.
"""
