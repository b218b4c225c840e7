"""Reads a pickle as the list of instructions that it is, and runs none of them.

Python's own loader calls whatever a file names, and keeps every object of it until its end. This one makes stand-ins instead of calling,
and hands on what comes in great number while it reads: memory stays that of what is kept. It knows the instructions that `pickle`
writes in protocols 2 to 5."""

import struct

from .foreign import Class, Foreign
from .problem import Problem

_u16 = struct.Struct("<H").unpack_from
_i32 = struct.Struct("<i").unpack_from
_u32 = struct.Struct("<I").unpack_from
_u64 = struct.Struct("<Q").unpack_from
_f64 = struct.Struct(">d").unpack_from

MARK, STOP, POP, POP_MARK, DUP = 0x28, 0x2e, 0x30, 0x31, 0x32
NONE, TRUE, FALSE = 0x4e, 0x88, 0x89
BININT, BININT1, BININT2, LONG1, LONG4, BINFLOAT = 0x4a, 0x4b, 0x4d, 0x8a, 0x8b, 0x47
SHORT_STR, STR, STR8 = 0x8c, 0x58, 0x8d
SHORT_BYTES, BYTES, BYTES8, BYTEARRAY8 = 0x43, 0x42, 0x8e, 0x96
EMPTY_LIST, APPEND, APPENDS, EMPTY_TUPLE, TUPLE, TUPLE1, TUPLE2, TUPLE3 = 0x5d, 0x61, 0x65, 0x29, 0x74, 0x85, 0x86, 0x87
EMPTY_DICT, SETITEM, SETITEMS, EMPTY_SET, ADDITEMS, FROZENSET = 0x7d, 0x73, 0x75, 0x8f, 0x90, 0x91
BINPUT, LONG_BINPUT, MEMOIZE, BINGET, LONG_BINGET = 0x71, 0x72, 0x94, 0x68, 0x6a
GLOBAL, STACK_GLOBAL, REDUCE, BUILD, NEWOBJ, NEWOBJ_EX = 0x63, 0x93, 0x52, 0x62, 0x81, 0x92
PROTO, FRAME = 0x80, 0x95


class CutShort(Problem):
  """The file ends before its pickle does. What was handed on until then stands."""


def read_pickle(data, built=None, items=None, progress=None):
  """The value of the pickle in `data` (bytes or a memory map).

  built: class name -> function of an object, called when its attributes are set; it may empty them.
  items: attribute name -> function of a list [key, value, ...], called instead of filling the dict of that attribute, and of the
         attributes of its object that came before, as [name, value, ...].
  progress: called now and then with the position."""
  try:
    return _read(data, built or {}, items or {}, progress)
  except (IndexError, struct.error) as e:
    if len(data) == 0:
      raise Problem("the file is empty") from e
    if data[0] != PROTO:
      raise Problem("this is not a pickle") from e
    raise CutShort(f"the pickle is cut short: it ends after {len(data)} bytes, in the middle of an object") from e
  except Problem:
    raise
  except (AttributeError, TypeError, ValueError, UnicodeDecodeError, MemoryError, OverflowError, KeyError) as e:
    raise Problem(f"the pickle is damaged ({type(e).__name__}: {e})") from e


def _read(data, built, items, progress):
  if len(data) and data[0] != PROTO:
    raise Problem("this is not a pickle of protocol 2 or above")
  stack, marks, memo = [], [], []
  memo_marks = []  # length of the memo at each mark, so that what came since can be forgotten
  push, memoize = stack.append, memo.append
  end = len(data)
  pos = reported = 0
  while True:
    op = data[pos]
    pos += 1
    if op == MEMOIZE:
      memoize(stack[-1])
    elif op == BININT:
      push(_i32(data, pos)[0])
      pos += 4
    elif op == BININT2:
      push(_u16(data, pos)[0])
      pos += 2
    elif op == NONE:
      push(None)
    elif op == LONG_BINGET:
      push(memo[_u32(data, pos)[0]])
      pos += 4
    elif op == BINGET:
      push(memo[data[pos]])
      pos += 1
    elif op == MARK:
      marks.append(stack)
      memo_marks.append(len(memo))
      stack = []
      push = stack.append
    elif op == TUPLE:
      made = tuple(stack)
      stack = marks.pop()
      memo_marks.pop()
      push = stack.append
      push(made)
    elif op == TUPLE2:
      stack[-2:] = [(stack[-2], stack[-1])]
    elif op == BININT1:
      push(data[pos])
      pos += 1
    elif op == TUPLE1:
      stack[-1] = (stack[-1],)
    elif op == BINFLOAT:
      push(_f64(data, pos)[0])
      pos += 8
    elif op == FALSE:
      push(False)
    elif op == TRUE:
      push(True)
    elif op == EMPTY_TUPLE:
      push(())
    elif op == TUPLE3:
      stack[-3:] = [(stack[-3], stack[-2], stack[-1])]
    elif op == SETITEMS:
      new = stack
      stack = marks.pop()
      since = memo_marks.pop()
      push = stack.append
      take = items.get(stack[-2]) if len(stack) > 1 and isinstance(stack[-2], str) else None
      if take is not None:
        _forget(memo, since, new[1::2])
        take(new, stack)
      else:
        target = stack[-1]
        for i in range(0, len(new), 2):
          target[new[i]] = new[i + 1]
      if progress is not None and pos - reported > 1 << 20:
        reported = pos
        progress(pos)
    elif op == SETITEM:
      value, key = stack.pop(), stack.pop()
      take = items.get(stack[-2]) if len(stack) > 1 and isinstance(stack[-2], str) else None
      if take is not None:
        take([key, value], stack)
      else:
        stack[-1][key] = value
    elif op == SHORT_STR:
      n = data[pos]
      pos += 1 + n
      if pos > end:
        raise IndexError
      push(str(data[pos - n:pos], "utf-8", "surrogatepass"))
    elif op == REDUCE:
      args = stack.pop()
      target = stack[-1]
      stack[-1] = target.call(args) if isinstance(target, Class) else Foreign(args)
    elif op == NEWOBJ:
      args = stack.pop()
      stack[-1] = stack[-1].call(args)
    elif op == NEWOBJ_EX:
      stack.pop()
      args = stack.pop()
      stack[-1] = stack[-1].call(args)
    elif op == BUILD:
      state = stack.pop()
      target = stack[-1]
      if isinstance(target, Foreign):
        target.set_state(state)
        done = built.get(type(target).__name__)
        if done is not None:
          done(target)
          if progress is not None and pos - reported > 1 << 20:
            reported = pos
            progress(pos)
    elif op == EMPTY_DICT:
      push({})
    elif op == EMPTY_LIST or op == EMPTY_SET:
      push([])
    elif op == APPENDS or op == ADDITEMS:
      new = stack
      stack = marks.pop()
      since = memo_marks.pop()
      push = stack.append
      target = stack[-1]
      target.extend(new)
      # matches: tuples that only their list refers to, packed here
      if len(stack) > 1 and stack[-2] == "matches":
        _forget_matches(memo, since)
    elif op == APPEND:
      value = stack.pop()
      stack[-1].append(value)
    elif op == STACK_GLOBAL:
      name, module = stack.pop(), stack.pop()
      push(Class(str(module), str(name)))
    elif op == LONG1 or op == LONG4:
      n, width = (data[pos], 1) if op == LONG1 else (_i32(data, pos)[0], 4)
      pos += width + n
      if pos > end or n < 0:
        raise IndexError
      push(int.from_bytes(data[pos - n:pos], "little", signed=True))
    elif op == FRAME:
      pos += 8
    elif op in (STR, STR8, BYTES, BYTES8, SHORT_BYTES, BYTEARRAY8):
      if op == SHORT_BYTES:
        n, width = data[pos], 1
      elif op in (STR, BYTES):
        n, width = _u32(data, pos)[0], 4
      else:
        n, width = _u64(data, pos)[0], 8
      pos += width + n
      if pos > end:
        raise IndexError
      raw = data[pos - n:pos]
      push(str(raw, "utf-8", "surrogatepass") if op in (STR, STR8) else bytes(raw))
    elif op == BINPUT or op == LONG_BINPUT:
      n, width = (data[pos], 1) if op == BINPUT else (_u32(data, pos)[0], 4)
      pos += width
      if n > len(memo) + 1:
        raise Problem("the pickle is damaged: it counts its objects out of order")
      memo[n:n + 1] = [stack[-1]]
    elif op == FROZENSET:
      new = stack
      stack = marks.pop()
      memo_marks.pop()
      push = stack.append
      push(new)
    elif op == GLOBAL:
      stop = data.find(b"\n", data.find(b"\n", pos) + 1)
      module, name = bytes(data[pos:stop]).decode().split("\n")
      pos = stop + 1
      push(Class(module, name))
    elif op == POP:
      stack.pop()
    elif op == DUP:
      push(stack[-1])
    elif op == POP_MARK:
      stack = marks.pop()
      memo_marks.pop()
      push = stack.append
    elif op == PROTO:
      pos += 1
    elif op == STOP:
      return stack.pop()
    else:
      raise Problem(f"this is not a pickle, or it is damaged: there is no instruction {op:#x} (at byte {pos - 1})")


def _forget(memo, since, values):
  """Nothing refers to a node's row or to its list of sources but the dict that holds it; its argument may be shared."""
  gone = set(map(id, values))
  gone.update(id(v[2]) for v in values if type(v) is tuple and len(v) > 2)
  for i in range(since, len(memo)):
    if id(memo[i]) in gone:
      memo[i] = None


def _forget_matches(memo, since):
  for i in range(since, len(memo)):
    made = memo[i]
    if type(made) is tuple and len(made) == 4:
      memo[i] = None

