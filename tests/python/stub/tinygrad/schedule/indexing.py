from dataclasses import dataclass
from typing import Any

from tinygrad.dtype import AddrSpace


@dataclass(frozen=True)
class BufferizeOpts:
  device: Any
  addrspace: Any = AddrSpace.GLOBAL
  removable: bool = True
