"""How sure a label should be."""
