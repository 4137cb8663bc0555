"""Writers that turn derived programs into source files, and the list of what is generated."""
