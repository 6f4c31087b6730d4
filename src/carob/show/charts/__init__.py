"""Charts, a function each: from a result to a title that states the finding, words, a table and a picture."""
