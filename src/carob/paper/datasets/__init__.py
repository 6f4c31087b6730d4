"""Data that ships with carob, and loaders for data that you have."""

from carob.paper.datasets.imdb import IMDB_WORDS, imdb_sources, load_imdb, read_imdb_reviews
from carob.paper.datasets.synthetic import PAPER_ACCURACIES, paper_model

__all__ = ["IMDB_WORDS", "PAPER_ACCURACIES", "imdb_sources", "load_imdb", "paper_model", "read_imdb_reviews"]
