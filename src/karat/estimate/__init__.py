"""From votes and gold to a model of the sources."""
