"""`python -m baxterkit` is the command line."""

from baxterkit.cli import main

if __name__ == "__main__":
    main()
