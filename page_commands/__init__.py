"""Page commands: what an agent may do on the page a person has open."""
