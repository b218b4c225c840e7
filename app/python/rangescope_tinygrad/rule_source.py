"""The text of a rule, from the file and line where its pattern is built: the pair of pattern and rewrite, and the function that it names."""

import ast
import re

_MOST_LINES = 60


def reference(path, line):
  """Short name of a place: relative to the package tinygrad where it is in it. The form that this engine's own rules have."""
  parts = path.replace("\\", "/").split("/")
  if "tinygrad" in parts[:-1]:
    at = len(parts) - 2 - parts[:-1][::-1].index("tinygrad")
    return f"{'/'.join(parts[at + 1:])}:{line}"
  return f"{parts[-1]}:{line}"


class _File:
  def __init__(self, path):
    with open(path, encoding="utf-8", errors="replace") as f:
      self.text = f.read()
    self.lines = self.text.splitlines()
    self.pairs, self.functions = [], {}
    try:
      tree = ast.parse(self.text)
    except (SyntaxError, ValueError, RecursionError):
      return
    for node in ast.walk(tree):
      if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        self.pairs.append(node)
      elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        self.functions.setdefault(node.name, node)

  def text_of(self, first, last):
    if last - first >= _MOST_LINES:
      return "\n".join([*self.lines[first - 1:first - 1 + _MOST_LINES], "..."])
    return "\n".join(self.lines[first - 1:last])


def _dedent(text):
  lines = text.split("\n")
  margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
  return "\n".join(line[margin:] for line in lines)


class RuleSources:
  def __init__(self):
    self._files = {}

  def _file(self, path):
    if path not in self._files:
      try:
        self._files[path] = _File(path)
      except OSError:
        self._files[path] = None
    return self._files[path]

  def find(self, path, line):
    """(name, text) of the rule; the text is None where the file is not there."""
    f = self._file(path)
    ref = reference(path, line)
    if f is None or not 1 <= line <= len(f.lines):
      return ref, None
    # the smallest pair whose pattern stands there; several rules may share a line
    around = [p for p in f.pairs if p.lineno <= line <= p.end_lineno and p.elts[0].lineno <= line <= p.elts[0].end_lineno]
    if not around:
      return ref, f.lines[line - 1].strip()
    smallest = min(around, key=lambda p: (p.end_lineno - p.lineno, p.end_col_offset - p.col_offset))
    alone = [p for p in around if p.lineno == smallest.lineno and p.end_lineno == smallest.end_lineno]
    text = _dedent(f.text_of(smallest.lineno, smallest.end_lineno))
    name = ref
    rewrite = smallest.elts[1]
    if isinstance(rewrite, ast.Name) and rewrite.id in f.functions:
      function = f.functions[rewrite.id]
      first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
      text += "\n\n" + _dedent(f.text_of(first, function.end_lineno))
      if len(alone) == 1:
        name = f"{re.sub(r'_+', '-', function.name).strip('-')} ({ref})"
    return name, text
