"""What an admin declares, before it is offered: proposed from a list's own types, and held against what there is."""
