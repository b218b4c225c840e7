import decimal
import os
from dataclasses import dataclass
from typing import Any


class ContextVar:
  def __init__(self, name, default):
    self.value = int(os.environ.get(name, default))

  def __bool__(self):
    return bool(self.value)

  def __index__(self):
    return self.value


VIZ, PROFILE, TRACEMETA = ContextVar("VIZ", 0), ContextVar("PROFILE", 0), ContextVar("TRACEMETA", 1)
SPLIT_REDUCEOP, PCONTIG, FLOAT16 = ContextVar("SPLIT_REDUCEOP", 1), ContextVar("PCONTIG", 0), ContextVar("FLOAT16", 0)
cpu_events = []


@dataclass(frozen=True)
class TracingKey:
  display_name: str
  keys: tuple = ()
  ret: Any = None
  tb: tuple | None = None


@dataclass(frozen=True)
class Metadata:
  name: str
  backward: bool = False


@dataclass
class ProfileRangeEvent:
  device: str
  name: Any
  st: decimal.Decimal
  en: decimal.Decimal | None = None
  profile_key: bytes | None = None


@dataclass
class ProfilePointEvent:
  device: str
  name: str
  key: Any
  arg: Any
  ts: decimal.Decimal
