"""Probabilities from votes and tables of sources, and how wrong they are."""
