"""What a gold label is worth in unlabeled points, and what to buy."""
