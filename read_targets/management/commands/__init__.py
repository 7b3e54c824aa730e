"""Commands of read targets."""
