"""Template tags of page commands."""
