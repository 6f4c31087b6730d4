"""One file per command: plain options in, one result out. They compute and write files, and word nothing."""
