"""The loops that NumPy cannot run near the speed of memory, compiled by numba on first use and kept (`compiled`).

Compiled loops release the interpreter lock, so ordinary threads run them side by side. Each takes half a second or less
to compile, once per machine.
"""
