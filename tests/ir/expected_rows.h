#pragma once

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/scalar.h"

// The tables of tests/ir/data: what the reference computes, written by generate.py there, which also says how values
// read.
namespace rangescope::testing {

using Row = std::vector<std::string>;

inline std::vector<Row> expected_rows(const std::string& file) {
  std::ifstream in(RANGESCOPE_SOURCE_DIR "/tests/ir/data/" + file);
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    Row row;
    for (size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
      to = line.find('\t', from);
      row.push_back(line.substr(from, to == std::string::npos ? to : to - from));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::string joined(const Row& row) {
  std::string r;
  for (const std::string& cell : row) r += cell + "  ";
  return r;
}

inline Scalar parse(const std::string& text) {
  switch (text.at(0)) {
    case 'b':
      return text == "b1";
    case 'i':
      return Int::from_string(text.substr(1)).value();
    case 'f':
      return text == "fnan" ? std::nan("") : std::bit_cast<double>(std::stoull(text.substr(1), nullptr, 16));
    case 'x':
      return Scalar::invalid();
    default:
      throw std::invalid_argument("not a value: " + text);
  }
}

inline std::string show(const Scalar& value) {
  if (value.is_invalid()) return "x";
  if (value.is_bool()) return value.truthy() ? "b1" : "b0";
  if (value.is_int()) return "i" + value.as_int().to_string();
  if (value.is_nan()) return "fnan";
  char text[20];
  std::snprintf(text, sizeof text, "f%016llx",
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(value.as_double())));
  return text;
}

inline DType dtype_named(const std::string& name) {
  return dtype_from_name(name).value();
}

template <class F>
std::string attempt(F f) {
  try {
    return show(f());
  } catch (const GraphError&) {
    return "!";
  }
}

}  // namespace rangescope::testing
