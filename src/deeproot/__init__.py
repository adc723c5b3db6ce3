"""Deep research that keeps its roots."""

__version__ = "0.1.0"
