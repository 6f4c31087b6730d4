"""Data that ships with karat, and loaders for data that you have."""

from karat.datasets.imdb import IMDB_WORDS, imdb_sources, load_imdb, read_imdb_reviews

__all__ = ["IMDB_WORDS", "imdb_sources", "load_imdb", "read_imdb_reviews"]
