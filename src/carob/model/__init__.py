"""`LabelModel`: one door to the default method and to those of the paper."""
