"""Data that ships with karat, and loaders for data that you have."""

from karat.datasets.imdb import IMDB_WORDS, imdb_sources, load_imdb, read_imdb_reviews
from karat.datasets.synthetic import PAPER_ACCURACIES, paper_model

__all__ = ["IMDB_WORDS", "PAPER_ACCURACIES", "imdb_sources", "load_imdb", "paper_model", "read_imdb_reviews"]
