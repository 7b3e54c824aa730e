"""The page a person has open: its sessions, what its tab must show, and how that reaches the tab."""
