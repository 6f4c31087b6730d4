"""The loops that NumPy cannot run near the speed of memory: `loops.c`, compiled when carob is installed.

They release the interpreter lock, so that ordinary threads run them side by side.
"""
