"""`python -m beaver` is `beaver`."""

from beaver.cli.main import main

if __name__ == "__main__":
    main()
