"""One line on a terminal that says how far long work is."""

import sys
import time


class Progress:
  def __init__(self, stream=None, every=0.1):
    self._stream = stream if stream is not None else sys.stderr
    self._on = self._stream.isatty()
    self._every, self._next, self._width = every, 0.0, 0

  def __call__(self, what, done, total):
    if not self._on:
      return
    now = time.monotonic()
    if now < self._next:
      return
    self._next = now + self._every
    text = f"{what} {100 * done // total if total else 100} %"
    self._stream.write("\r" + text.ljust(self._width))
    self._stream.flush()
    self._width = len(text)

  def clear(self):
    if self._on and self._width:
      self._stream.write("\r" + " " * self._width + "\r")
      self._stream.flush()
      self._width = 0
