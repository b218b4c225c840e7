from dataclasses import dataclass
from enum import IntEnum, auto


@dataclass(frozen=True)
class DType:
  priority: int
  bitsize: int
  name: str
  fmt: str | None

  def __reduce__(self):
    return DType, (self.priority, self.bitsize, self.name, self.fmt)


class dtypes:
  void = DType(-1, 0, "void", None)
  weakint = DType(0, 800, "weakint", None)
  bool = DType(0, 1, "bool", "?")
  weakfloat = DType(9, 800, "weakfloat", None)
  int32 = DType(5, 32, "int", "i")
  float32 = DType(14, 32, "float", "f")


class AddrSpace(IntEnum):
  GLOBAL = auto()
  LOCAL = auto()
  REG = auto()
  ALU = auto()


class InvalidType:
  def __reduce__(self):
    return InvalidType, ()


class ConstFloat(float):
  __slots__ = ("bits",)
