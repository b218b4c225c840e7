"""The rules of resources/docs/architecture.md that the compiler does not check: who includes whom, who links what.

Each check is a function from a file's path and text to the list of its faults, so that each is tested on bad text as well.
"""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

TOP_LEVEL = {"app", "engine", "viewer", "shaders", "resources", "tests", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "dev"}

# A folder may include itself and what stands here. Keys are matched by the longest prefix; `viewer` alone is the main window.
COMPILER = ["engine/ir", "engine/rewrite", "engine/symbolic", "engine/schedule", "engine/codegen", "engine/runtime"]
READS_TRACES = ["engine/ir", "engine/rewrite", "engine/trace"]
MAY_INCLUDE = {
  **{folder: COMPILER[:i] for i, folder in enumerate(COMPILER)},
  "engine/eval": ["engine/ir"],
  "engine/frontend": ["engine/ir", "engine/eval", "engine/symbolic"],
  "engine/onnx": ["engine/ir", "engine/frontend"],
  "engine/trace": ["engine/ir", "engine/rewrite"],
  "viewer/layout": READS_TRACES,
  "viewer/model": READS_TRACES + ["viewer/layout", "viewer/canvas"],
  "viewer/canvas": READS_TRACES + ["viewer/layout"],
  "viewer/controllers": READS_TRACES + ["viewer/layout", "viewer/model", "viewer/canvas"],
  "viewer/panels": READS_TRACES + ["viewer/layout", "viewer/model", "viewer/canvas", "viewer/controllers"],
  "viewer": READS_TRACES + ["viewer"],
  "app": ["engine", "viewer"],
}

# Headers and CMake package names of a library, and the only folders that may name them.
LIBRARIES = [
  ("SQLite", re.compile(r"sqlite3\.h"), re.compile(r"sqlite3?\b", re.I), ["engine/trace"]),
  ("Vulkan or a shader compiler", re.compile(r"(vulkan|shaderc|glslang|spirv)", re.I), re.compile(r"\bVulkan\b|shaderc|glslang|SPIRV"), ["engine/runtime"]),
  ("Graphviz", re.compile(r"(graphviz/|gvc\.h|cgraph\.h)"), re.compile(r"\b(gvc|cgraph)\b"), ["viewer/layout"]),
  ("protobuf or libonnx", re.compile(r"(google/protobuf|onnx)/"), re.compile(r"\b[Pp]rotobuf\b|onnx_proto"), ["engine/onnx"]),
  ("Qt", re.compile(r"Q[A-Z]\w*|Qt\w+/.*"), re.compile(r"\bQt6?\b"), ["viewer", "app"]),
]
WIDGETS = re.compile(r"(QtWidgets/.*|Q\w*(Widget|Window|Dialog|Button|Layout|Label|Menu|Action|Box|Dock|Bar|Edit|View|Slider|Splitter)s?)")
WITHOUT_WIDGETS = ["viewer/model", "viewer/layout"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
MACHINE_PATH = re.compile("(?<![\\w.])/" + "(work|root)/")


def within(path, folders):
  return any(path == folder or path.startswith(folder + "/") for folder in folders)


def folder_rule(path):
  keys = [key for key in MAY_INCLUDE if within(path, [key])]
  return max(keys, key=len) if keys else None


def includes(text):
  return INCLUDE.findall(text)


def include_direction(path, text, exists=lambda p: (ROOT / p).is_file()):
  own = folder_rule(path)
  faults = []
  for quote, header in includes(text):
    if quote != '"' or header.endswith(".moc") or header.startswith("moc_"):
      continue
    if not exists(header):
      faults.append(f'{path}: "{header}" is not a path from the root of the repository')
    elif own and folder_rule(header) != own and not within(header, MAY_INCLUDE[own]):
      faults.append(f'{path}: {own} may not include "{header}"')
    elif own is None and within(path, ["engine", "viewer"]):
      faults.append(f"{path}: a folder that the rule does not know")
  return faults


def foreign_headers(path, text):
  faults = []
  for quote, header in includes(text):
    if quote == '"':
      continue
    for name, pattern, _, folders in LIBRARIES:
      if pattern.match(header) and not within(path, folders):
        faults.append(f"{path}: <{header}>, only {', '.join(folders)} may include {name}")
    if within(path, WITHOUT_WIDGETS) and WIDGETS.fullmatch(header):
      faults.append(f"{path}: <{header}> is a widget, and {' and '.join(WITHOUT_WIDGETS)} have none")
  return faults


def foreign_links(path, text):
  folder = os.path.dirname(path)
  code = re.sub(r"#.*", "", text)
  return [f"{path}: only {', '.join(folders)} may link {name}" for name, _, pattern, folders in LIBRARIES
          if pattern.search(code) and not within(folder, folders)]


def machine_paths(path, text):
  return [f"{path}:{text[:m.start()].count(chr(10)) + 1}: names a path of one machine" for m in MACHINE_PATH.finditer(text)]


def header_guard(path, text):
  return [] if "#pragma once" in text else [f"{path}: no #pragma once"]


def unlisted(path, lists):
  """lists: the text of each CMakeLists.txt by its folder; the nearest one above a source must name it."""
  folder = os.path.dirname(path)
  while folder not in lists:
    folder = os.path.dirname(folder)
  name = os.path.relpath(path, folder) if folder else path
  words = re.split(r"[\s()\"]+", re.sub(r"#.*", "", lists[folder]))
  return [] if name in words else [f"{path}: not in {os.path.join(folder, 'CMakeLists.txt')}"]


def repository_files():
  for folder, names, files in os.walk(ROOT):
    here = os.path.relpath(folder, ROOT)
    names[:] = sorted(n for n in names if n not in (".git", "__pycache__", ".cache") and not (here == "." and n.startswith("build")))
    for name in sorted(files):
      path = os.path.normpath(os.path.join(here, name))
      if path != ".git":  # a worktree's pointer to its repository
        yield path


def read(path):
  try:
    return (ROOT / path).read_text(encoding="utf-8")
  except UnicodeDecodeError:
    return None


class Repository(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.texts = {path: text for path in repository_files() if (text := read(path)) is not None}
    cls.code = {p: t for p, t in cls.texts.items() if p.endswith((".h", ".cpp")) and within(p, ["app", "engine", "viewer", "tests"])}
    cls.product = {p: t for p, t in cls.code.items() if not within(p, ["tests"])}

  def assert_none(self, faults):
    faults = list(faults)
    self.assertFalse(faults, "\n" + "\n".join(faults))

  def test_includes_go_down(self):
    self.assert_none(fault for p, t in self.code.items() for fault in include_direction(p, t))

  def test_libraries_are_included_in_their_folder_alone(self):
    self.assert_none(fault for p, t in self.product.items() for fault in foreign_headers(p, t))

  def test_libraries_are_linked_in_their_folder_alone(self):
    lists = {p: t for p, t in self.texts.items() if p.endswith("CMakeLists.txt") and within(p, ["engine", "viewer", "app"])}
    self.assert_none(fault for p, t in lists.items() for fault in foreign_links(p, t))

  def test_no_machine_paths(self):
    self.assert_none(fault for p, t in self.texts.items() for fault in machine_paths(p, t))

  def test_headers_have_a_guard(self):
    self.assert_none(fault for p, t in self.code.items() if p.endswith(".h") for fault in header_guard(p, t))

  def test_every_source_is_listed(self):
    lists = {os.path.dirname(p): t for p, t in self.texts.items() if os.path.basename(p) == "CMakeLists.txt"}
    self.assert_none(fault for p in self.code if p.endswith(".cpp") for fault in unlisted(p, lists))
    self.assert_none(f"{p}: file(GLOB)" for p, t in lists.items() if re.search(r"file\s*\(\s*GLOB", t))

  def test_top_level_is_fixed(self):
    found = {name for name in os.listdir(ROOT) if not name.startswith((".", "build"))}
    self.assertLessEqual(found, TOP_LEVEL)


class Checks(unittest.TestCase):
  """Every check fails on what it is there for."""

  def direction(self, path, header):
    return include_direction(path, f'#include "{header}"\n', exists=lambda p: True)

  def test_include_direction(self):
    self.assertTrue(self.direction("engine/ir/uop.cpp", "engine/rewrite/rule.h"))
    self.assertTrue(self.direction("engine/trace/writer.cpp", "engine/schedule/pipeline.h"))
    self.assertTrue(self.direction("engine/rewrite/driver.cpp", "engine/trace/writer.h"))
    self.assertTrue(self.direction("engine/eval/eval.cpp", "engine/rewrite/rule.h"))
    self.assertTrue(self.direction("viewer/model/tree.cpp", "viewer/panels/tree.h"))
    self.assertTrue(self.direction("viewer/main_window.cpp", "engine/schedule/pipeline.h"))
    self.assertTrue(self.direction("engine/new/thing.cpp", "engine/ir/uop.h"))
    self.assertFalse(self.direction("engine/schedule/pipeline.cpp", "engine/symbolic/rules.h"))
    self.assertFalse(self.direction("viewer/main_window.cpp", "viewer/panels/tree.h"))
    self.assertFalse(self.direction("app/main.cpp", "engine/runtime/device.h"))
    self.assertTrue(include_direction("engine/ir/uop.cpp", '#include "uop.h"\n', exists=lambda p: False))

  def test_foreign_headers(self):
    for path, header in [("engine/ir/a.h", "sqlite3.h"), ("viewer/model/a.h", "sqlite3.h"), ("engine/codegen/a.h", "vulkan/vulkan.h"),
                         ("app/a.cpp", "shaderc/shaderc.hpp"), ("viewer/canvas/a.cpp", "graphviz/gvc.h"), ("engine/trace/a.cpp", "QString"),
                         ("engine/trace/a.cpp", "QtCore/QString"), ("viewer/model/a.h", "QTreeView"), ("viewer/layout/a.h", "QWidget")]:
      self.assertTrue(foreign_headers(path, f"#include <{header}>\n"), header)
    for path, header in [("engine/trace/a.cpp", "sqlite3.h"), ("engine/runtime/a.cpp", "vulkan/vulkan.h"), ("viewer/layout/a.cpp", "graphviz/gvc.h"),
                         ("viewer/model/a.h", "QAbstractItemModel"), ("engine/ir/a.h", "vector")]:
      self.assertFalse(foreign_headers(path, f"#include <{header}>\n"), header)

  def test_foreign_links(self):
    self.assertTrue(foreign_links("engine/ir/CMakeLists.txt", "find_package(SQLite3 REQUIRED)"))
    self.assertTrue(foreign_links("engine/trace/CMakeLists.txt", "target_link_libraries(t PRIVATE Qt6::Core)"))
    self.assertTrue(foreign_links("viewer/canvas/CMakeLists.txt", "pkg_check_modules(GVC REQUIRED libgvc)\nlink(gvc)"))
    self.assertTrue(foreign_links("app/CMakeLists.txt", "target_link_libraries(rangescope Vulkan::Vulkan)"))
    self.assertFalse(foreign_links("engine/trace/CMakeLists.txt", "find_package(SQLite3 REQUIRED)"))
    self.assertFalse(foreign_links("engine/ir/CMakeLists.txt", "# not Qt6\n"))

  def test_machine_paths(self):
    self.assertTrue(machine_paths("a", "see " + "/" + "work/x"))
    self.assertFalse(machine_paths("a", "network/work/x, framework/root/x"))

  def test_unlisted(self):
    lists = {"": "", "engine/ir": "rangescope_library(t a.cpp # b.cpp\n sub/c.cpp)"}
    self.assertFalse(unlisted("engine/ir/a.cpp", lists))
    self.assertFalse(unlisted("engine/ir/sub/c.cpp", lists))
    self.assertTrue(unlisted("engine/ir/b.cpp", lists))
    self.assertTrue(unlisted("engine/ir/c.cpp", lists))


if __name__ == "__main__":
  unittest.main()
