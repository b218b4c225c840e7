"""Tensors whose compilation can be watched.

    from rangescope import Tensor
    import rangescope

    with rangescope.record("softmax.rscope"):
      Tensor.rand(4, 8).softmax().realize()

`rangescope view softmax.rscope` then plays every rewrite from the tensors to the kernels. Names and meaning are tinygrad's.
"""
from ._core import Error
from .dtypes import DType, dtypes
from .recording import record
from .session import Context, device_name, kernel_count
from .tensor import Tensor

__all__ = ["Context", "DType", "Error", "Tensor", "device_name", "dtypes", "kernel_count", "record"]
