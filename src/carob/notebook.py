"""Results in notebooks: what a report says of them, with its charts."""

from __future__ import annotations

import importlib


class Shown:
    """A result that a notebook shows as words, tables and charts."""

    def _repr_html_(self) -> str:
        # Whatever shows results stands above all that makes them, and is loaded by its name.
        return str(importlib.import_module("carob.show.notebook").html(self))
