from tinygrad.schedule.rangeify import get_kernel_graph


def realize(sink):
  return get_kernel_graph(sink)
