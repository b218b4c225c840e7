class Problem(Exception):
  """What a person can do something about: printed as one line, exit code 1."""


class OtherVersion(Problem):
  """Recorded with a tinygrad that this package does not know. `what` differs."""

  def __init__(self, what):
    super().__init__(f"{what}: this is of another version of tinygrad than the one that is understood here (commit a9069c1 and near it)")
