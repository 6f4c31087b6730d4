"""`python -m karat` is the command line."""

from __future__ import annotations

from karat.cli import main

main()
