"""tinygrad's rewrites as a trace file."""

from array import array

from . import profile
from .kernels import kernel_of_section, plain, program_info, schedule_items
from .names import OP
from .order import FirstShown, events, link_passes
from .places import Places, made
from .problem import Problem
from .rule_source import RuleSources, reference
from .trace_file import TraceFile, write_nodes

_GROUPS = ("get_kernel_graph", "run_rangeify")  # tracked, but no rewrites: they only hold others


class Section:
  def __init__(self, id, kind, name, group, passes):
    self.id, self.kind, self.name, self.group, self.passes = id, kind, name, group, passes


class Done:
  """What was written."""

  def __init__(self):
    self.passes = self.matches = self.nodes = self.kernels = self.dispatches = self.lost_dispatches = 0
    self.without_output = self.guessed_places = 0


def convert(rewrites, out, program="", events_of_run=None, failure=None, progress=None):
  """Writes the trace `out`. failure: a message about what ended the recording early."""
  progress = progress or (lambda *_: None)
  trace = TraceFile(out)
  try:
    done = _Conversion(rewrites, trace, progress).run(program, events_of_run, failure)
    trace.close()
    return done
  except BaseException:
    trace.abandon()
    raise


class _Conversion:
  def __init__(self, rewrites, trace, progress):
    self.r, self.trace, self.progress = rewrites, trace, progress
    self.done = Done()
    self.sections, self.passes = [], []

  def run(self, program, events_of_run, failure):
    r = self.r
    failure = failure or r.cut_short
    self._drop_unknown()
    self._sections()
    if events_of_run is not None:
      profile.pass_times(events_of_run, self.passes)
    self._place()
    self._number_events()
    self.trace.meta("program", program)
    self.trace.meta("engine", "tinygrad")
    self._write_rules()
    self._write_nodes()
    self._write_passes()
    self._write_errors(failure)
    self._write_kernels(events_of_run)
    self.done.nodes = len(r.nodes)
    return self.done

  def _drop_unknown(self):
    """Where a pickle was cut short, passes end at the first match whose nodes are missing."""
    r, known = self.r, len(self.r.number)
    for g in r.groups:
      kept = []
      for p in g.passes:
        if p.sink >= known:
          break
        kept.append(p)
        for m in range(p.first, p.first + p.count):
          if r.before[m] >= known or r.after[m] >= known:
            p.count, p.failed = m - p.first, True
            break
      if len(kept) < len(g.passes) and r.cut_short is None:
        raise Problem(f"pass '{g.passes[len(kept)].name}' begins with a node that is not in the pickle: it is damaged")
      g.passes = kept

  def _sections(self):
    for g in self.r.groups:
      rest, name = g.passes, plain(g.name)
      # what follows a kernel in its group is no part of it: tinygrad puts what has no group of its own into the last one
      end = next((i + 1 for i, p in enumerate(rest) if p.name == "View Program"), len(rest))
      for part in (rest[:end], rest[end:]):
        if not part:
          continue
        link_passes(part)
        names = {p.name for p in part}
        if "View Base AST" in names:
          kind = "kernel"
        elif "get_kernel_graph" in names or "schedule to linear" in names:
          kind, name = "schedule", name.removeprefix("Schedule ").removeprefix("default ")
        else:
          kind = "other"
        if part is not rest and part[0] is not rest[0]:
          name = part[0].name
        s = Section(len(self.sections) + 1, kind, name, g, part)
        self.sections.append(s)
        for p in part:
          p.id, p.section = len(self.passes) + 1, s
          self.passes.append(p)

  def _place(self):
    places = Places(self.r)
    for s in self.sections:
      places.add(s.passes)
      self.progress("ordering", s.id, len(self.sections))
    self.done.guessed_places = places.settle()

  def _number_events(self):
    """Ids of matches, in the order in which they happened; and who made each node."""
    r = self.r
    first = FirstShown(len(r.number))
    self.order = array("I")  # row of the match with id i + 1
    self.pass_of_row = array("I", bytes(4 * len(r.ns)))
    same = 0
    for s in self.sections:
      for p in s.passes:
        for m in range(p.first, p.first + p.count):
          self.pass_of_row[m] = p.id
      for what, i in events(s.passes):
        if what == "pass":
          first.shown(s.passes[i].sink, 0)
          continue
        before, after = r.before[i], r.after[i]
        failed = after in r.error_text
        if not failed and r.number[before] == r.number[after]:
          same += 1  # they differ in what the notation does not hold
          first.shown(max(before, after), 0)
          continue
        self.order.append(i)
        first.shown(before, 0)
        if not failed:
          first.shown(after, len(self.order))
        else:
          self._pass_of(i).failed = True
          first.shown(after, 0)
    for p in self.passes:  # what failed ended everything around it
      while p.failed and p.parent is not None:
        p = p.section.passes[p.parent]
        p.failed = True
    self.made_by = first.made_by(r.number, len(r.nodes))
    self.done.matches = len(self.order)
    if same:
      self.trace.meta("matches_without_change", same)

  def _pass_of(self, row):
    return self.passes[self.pass_of_row[row] - 1]

  def _failed(self, row):
    return self.r.after[row] in self.r.error_text

  def _write_rules(self):
    sources = RuleSources()
    for i, (path, line) in enumerate(self.r.rules, 1):
      name, text = sources.find(path, line)
      self.trace.add("rules", (i, name, None, reference(path, line), None, text))
    self.trace.flush()

  def _write_nodes(self):
    r = self.r
    for i, json in enumerate(r.nodes.args, 1):
      self.trace.add("args", (i, json))
    write_nodes(self.trace, r.nodes, self.made_by, 1, len(r.nodes), self.progress)
    for node, name in r.metadata.items():
      self.trace.add("node_metadata", (node, name, None))
    self.written = len(r.nodes)
    for s in self.sections:
      self.trace.add("sections", (s.id, s.kind, s.name, r.number[s.passes[0].sink]))
    self.trace.flush()

  def _write_passes(self):
    """Passes with the graph that they end with, each followed by its matches: a conversion that is stopped leaves whole passes."""
    r, number = self.r, self.r.number
    id_of_row = array("I", bytes(4 * len(r.ns)))
    for id, row in enumerate(self.order, 1):
      id_of_row[row] = id
    self.trace.flush_when_full = False
    for p in self.passes:
      group = p.name in _GROUPS and p.count == 0
      fired = [m for m in range(p.first, p.first + p.count) if id_of_row[m]]
      rows = [m for m in fired if not self._failed(m)]
      if group:
        p.output = 0
      elif p.failed:
        p.output = None
      else:
        p.output = made(r, p)
        if p.output is None:
          self.done.without_output += 1
      parent = p.section.passes[p.parent].id if p.parent is not None else None
      self.trace.add("passes", (p.id, p.section.id, parent, p.depth, p.name, int(p.bottom_up), int(p.walk), int(p.enter_calls), int(group),
                                None if group else number[p.sink], p.output or None, len(rows), p.ns))
      for m in fired:
        self.trace.add("matches", (id_of_row[m], p.id, number[r.before[m]], None if self._failed(m) else number[r.after[m]], r.rule[m] + 1,
                                   r.ns[m]))
      if self.trace.full:
        self._write_new_nodes()
        self.trace.flush()
      self.progress("rebuilding", p.id, len(self.passes))
    self._write_new_nodes()
    self._write_places()
    self.trace.flush_when_full = True
    self.done.passes = len(self.passes)

  def _write_places(self):
    """In a table of our own: nested passes whose place among the matches around them is the likeliest, not the only one."""
    if self.done.guessed_places == 0:
      return
    self.trace.create("CREATE TABLE x_places(pass INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, latest INTEGER NOT NULL)")
    for p in self.passes:
      if p.earliest is not None and p.earliest < p.latest:
        self.trace.add("x_places", (p.id, p.earliest, p.latest))

  def _write_new_nodes(self):
    last = len(self.r.nodes)
    if last > self.written:
      write_nodes(self.trace, self.r.nodes, self.made_by, self.written + 1, last)
      self.written = last

  def _write_errors(self, failure):
    r = self.r
    told = set()  # a failure goes through the rules around it too
    for id, row in enumerate(self.order, 1):
      if self._failed(row) and self.pass_of_row[row] not in told:
        told.add(self.pass_of_row[row])
        self.trace.add("errors", (None, self.pass_of_row[row], id, r.error_text[r.after[row]]))
    if failure:
      self.trace.add("errors", (None, None, None, failure))
    self.trace.flush()

  def _write_kernels(self, events_of_run):
    r = self.r
    programs = {n: program_info(arg, sink) for n, (arg, sink) in r.program_info.items()}
    kernels = []
    for s in self.sections:
      if s.kind == "kernel":
        k = kernel_of_section(len(kernels) + 1, s.id, s.passes, s.group, r.number, r.nodes, programs)
        if k is not None:
          kernels.append(k)
    of_ast = {}
    for k in kernels:
      of_ast.setdefault(k.ast, k)
      if k.program is not None:  # a schedule may name what was compiled from it
        of_ast.setdefault(k.program, k)
      self.trace.add("kernels", (k.id, k.ast, k.section, k.name, k.sink, k.linear, k.source, None, None, k.global_size, k.local_size, k.ops,
                                 k.bytes))
    items, count = {}, 0
    for s in self.sections:
      if s.kind != "schedule":
        continue
      for kind, ast, kernel, buffers in schedule_items(self._last_linear(s), r.nodes, of_ast):
        count += 1
        self.trace.add("schedule", (count, kind, ast, kernel.id if kernel else None, f"[{','.join(map(str, buffers))}]"))
        if kernel is not None:
          items.setdefault(kernel.id, []).append(count)
          self.trace.add("launches", (count, 0, kernel.id, kernel.ops, kernel.bytes, kernel.access_bytes))
        elif kind == "copy":
          self.trace.add("launches", (count, 0, None, 0, None, None))
    graph = [p for p in self.passes if p.name == "View Kernel Graph" and p.output]
    if graph:
      self.trace.meta("kernel_graph", graph[0].output)
    if events_of_run is not None:
      self.done.dispatches, self.done.lost_dispatches = profile.write_runs(self.trace, events_of_run, kernels, items)
      profile.write_memory(self.trace, events_of_run)
    self.done.kernels = len(kernels)
    self.trace.flush()

  def _last_linear(self, section):
    for p in reversed(section.passes):
      if p.depth == 0 and p.output and self.r.nodes.op[p.output] == OP["LINEAR"]:
        return p.output
    return 0
