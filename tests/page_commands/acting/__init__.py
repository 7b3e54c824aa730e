"""An app of the tests alone: the code that the commands of their page name, registered in real servers too."""
