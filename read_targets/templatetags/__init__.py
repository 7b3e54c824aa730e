"""Template tags of the person's pages."""
