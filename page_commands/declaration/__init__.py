"""What is declared of a page and its commands, held against the application's code."""
