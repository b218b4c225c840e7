class Problem(Exception):
  """What a person can do something about: printed as one line, exit code 1."""
