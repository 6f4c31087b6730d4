"""Weigh gold labels against unlabeled data."""
