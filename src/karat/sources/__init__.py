"""Writing sources: keywords, regular expressions, any function of a text."""

from karat.sources.apply import apply_sources
from karat.sources.rules import Source, function, keyword, regex

__all__ = ["Source", "apply_sources", "function", "keyword", "regex"]
