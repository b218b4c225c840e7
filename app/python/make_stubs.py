"""Writes rangescope/tensor.pyi from rangescope/tensor.py and the families that Tensor is made of; --check: says whether it is up to date.

Methods that tensor.py makes in loops, and those named after types, are written out in the stub.
"""
import ast
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent / "rangescope"
HEAD = '''# Written by app/python/make_stubs.py.
import builtins
from typing import Any, Callable, Iterable, Sequence, Union

from .dtypes import DType

Number = Union[int, float, bool]
Axis = Union[int, Sequence[int], None]
Device = Union[str, Sequence[str], None]

'''


def signature(f: ast.FunctionDef) -> str:
  f = ast.FunctionDef(f.name, f.args, [ast.Expr(ast.Constant(...))], f.decorator_list, f.returns, None, lineno=1)
  return ast.unparse(f).replace("\n    ...", " ...").replace("'Tensor'", "Tensor").replace("'Tensor | None'", "Tensor | None")


def stub() -> str:
  tree = ast.parse((HERE / "tensor.py").read_text(encoding="utf-8"))
  cls = next(n for n in tree.body if isinstance(n, ast.ClassDef))
  tables = {n.targets[0].id: [ast.literal_eval(k) for k in n.value.keys]
            for n in tree.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Dict)}
  lines = [f"class Tensor:\n  {ast.get_docstring(cls)!r}", "  grad: Tensor | None", "  requires_grad: bool | None"]
  families = [ast.parse((HERE / f"{b.id.lower()}.py").read_text(encoding="utf-8")) for b in cls.bases]
  bodies = [cls.body, *(n.body for tree in families for n in tree.body if isinstance(n, ast.ClassDef))]
  for n in (n for body in bodies for n in body):
    if isinstance(n, ast.FunctionDef) and (not n.name.startswith("_") or n.name.startswith("__")):
      lines += ["  " + line for line in signature(n).splitlines()]
    elif isinstance(n, ast.Assign) and isinstance(n.value, ast.Name):
      lines.append(f"  {n.targets[0].id} = {n.value.id}")
  for name in tables["_UNARY"]:
    lines.append(f"  def {name}(self) -> Tensor: ...")
  text = "\n".join(lines)
  # in a class with methods of these names, the types are reached through builtins
  for name in ("int", "float", "bool"):
    text = "\n".join(line if line.lstrip().startswith(("class", "'")) else _qualified(line, name) for line in text.splitlines())
  casts = "\n".join(f"  def {name}(self) -> Tensor: ..." for name in tables["_CASTS"])
  return HEAD + text + "\n" + casts + "\n"


def _qualified(line: str, name: str) -> str:
  import re
  return re.sub(rf"(?<=[:\[|>,(] ){name}\b|(?<=\[){name}\b", f"builtins.{name}", line)


if __name__ == "__main__":
  path = HERE / "tensor.pyi"
  if sys.argv[1:] == ["--check"]:
    sys.exit(0 if path.exists() and path.read_text(encoding="utf-8") == stub() else f"{path} is out of date: run {sys.argv[0]}")
  path.write_text(stub(), encoding="utf-8")
