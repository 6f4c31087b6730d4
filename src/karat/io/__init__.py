"""Reading and writing: codings, layouts, formats, files that appear whole or not at all, model files."""
