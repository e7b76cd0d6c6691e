"""Figures that the four papers and their authors published, one YAML file a table.

Each table says where it is printed. A figure keeps the digits in which it is printed.
"""
