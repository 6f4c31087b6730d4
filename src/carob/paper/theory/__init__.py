"""The paper's model and theorems, exact."""
