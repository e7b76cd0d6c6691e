"""Attacks on the program itself, by which its limits are tried: on this machine, within limits.

    python -m tools.attack data --tries 20000 --seed 0

Each attack is a module of its own. It prints how many attempts it made, how many failed, and the
most memory and time that one of them took. Equal seeds make equal attempts. Sockets are opened at
127.0.0.1 only.
"""
