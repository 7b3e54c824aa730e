"""The whole list behind a workspace as a file: written in the background as the person, and only theirs to open."""
