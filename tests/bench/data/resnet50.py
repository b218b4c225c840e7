"""ResNet-50, whose kernels ./dev bench kernels generates to see how long that takes:

    DEV=NULL PYTHONPATH=app/python:path/to/tinygrad python3 -m rangescope_tinygrad capture tests/bench/data/resnet50.py -o resnet50.jsonl
"""

from extra.models.resnet import ResNet50
from tinygrad import Tensor
from tinygrad.nn.state import get_parameters

model = ResNet50(num_classes=1000)
for parameter in get_parameters(model):
  parameter.replace(Tensor.empty(*parameter.shape, dtype=parameter.dtype).realize())
model(Tensor.empty(1, 3, 224, 224).realize()).realize()
