"""The tinygrad door: tinygrad's graphs and rewrites as Rangescope's files.

`python -m rangescope_tinygrad --help` lists the commands; resources/docs/tinygrad.md explains them. Standard library only."""
