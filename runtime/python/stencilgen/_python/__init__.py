"""Stencils and programs that are written as Python functions.

A function's syntax tree is read (`read_stencil`, `read_program`), and written as a program of the
language (`lower`, `write`) for the types that it is called with; the compiler's messages come back
at the lines of the Python file (`source`).
"""
