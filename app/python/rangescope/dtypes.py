"""The dtypes of tensors, by tinygrad's names: dtypes.float32, dtypes.int, dtypes.bool, ..."""
from __future__ import annotations

_SIZES = {
  "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
  "fp8e4m3": 1, "fp8e5m2": 1, "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "weakint": 0, "weakfloat": 0,
}


class DType(str):
  """A dtype is its name. Two of one name are one dtype."""

  @property
  def itemsize(self) -> int:
    """Bytes of an element; 0 of a weak dtype, which takes on that of what it meets."""
    return _SIZES[self]

  @property
  def name(self) -> str:
    return str(self)

  def __repr__(self) -> str:
    return f"dtypes.{self}"


class dtypes:
  bool = DType("bool")
  int8 = char = DType("int8")
  uint8 = uchar = DType("uint8")
  int16 = short = DType("int16")
  uint16 = ushort = DType("uint16")
  int32 = int = DType("int32")
  uint32 = uint = DType("uint32")
  int64 = long = DType("int64")
  uint64 = ulong = DType("uint64")
  fp8e4m3 = DType("fp8e4m3")
  fp8e5m2 = DType("fp8e5m2")
  float16 = half = DType("float16")
  bfloat16 = DType("bfloat16")
  float32 = float = DType("float32")
  float64 = double = DType("float64")
  weakint = DType("weakint")
  weakfloat = DType("weakfloat")
  default_float = float32
  default_int = int32
  floats = (fp8e4m3, fp8e5m2, float16, bfloat16, float32, float64)
  ints = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)

  @staticmethod
  def is_float(dtype: str) -> "bool":
    return dtype in dtypes.floats or dtype == dtypes.weakfloat

  @staticmethod
  def is_int(dtype: str) -> "bool":
    return dtype in dtypes.ints or dtype == dtypes.weakint


# Dtypes that numpy has under the same name.
NUMPY = {str(d) for d in (dtypes.bool, *dtypes.ints, dtypes.float16, dtypes.float32, dtypes.float64)}
