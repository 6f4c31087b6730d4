"""The default method, whole: sources, labels and intervals from votes, and from gold where there is some."""
