"""Counts of votes that add up: moments, statistics, and the digest that a model file keeps."""
