#pragma once
// Models for tests, written as protobuf messages by hand: a field is a number and its bytes.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace rangescope::onnx::testing {

class Message {
 public:
  Message& add(int field, const std::string& bytes) {
    varint((static_cast<uint64_t>(field) << 3U) | 2U);
    varint(bytes.size());
    text_ += bytes;
    return *this;
  }
  Message& add(int field, const Message& m) { return add(field, m.text_); }
  Message& add(int field, int64_t value) {
    varint(static_cast<uint64_t>(field) << 3U);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  const std::string& bytes() const { return text_; }

 private:
  void varint(uint64_t v) {
    for (; v >= 128; v >>= 7U) text_ += static_cast<char>((v & 127U) | 128U);
    text_ += static_cast<char>(v);
  }
  std::string text_;
};

inline constexpr int64_t kFloat = 1, kInt64 = 7, kString = 8;

// A negative size is left open under the name.
struct Size {
  Size(int n) : value(n) {}
  Size(const char* n) : name(n) {}
  int64_t value = -1;
  std::string name;
};
inline Message value_info(const std::string& name, int64_t dtype, const std::vector<Size>& sizes) {
  Message shape;
  for (const Size& s : sizes) {
    Message dim;
    if (s.value >= 0) dim.add(1, s.value);
    if (!s.name.empty()) dim.add(2, s.name);
    shape.add(1, dim);
  }
  return Message().add(1, name).add(2, Message().add(1, Message().add(1, dtype).add(2, shape)));
}

inline Message attribute(const std::string& name, int64_t value) {
  return Message().add(1, name).add(3, value).add(20, int64_t{2});
}
inline Message attribute(const std::string& name, const Message& graph) {
  return Message().add(1, name).add(6, graph).add(20, int64_t{5});
}

inline Message node(const std::string& op, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {},
                    const std::string& name = "") {
  Message m;
  for (const auto& i : inputs) m.add(1, i);
  for (const auto& o : outputs) m.add(2, o);
  if (!name.empty()) m.add(3, name);
  m.add(4, op);
  for (const auto& a : attributes) m.add(5, a);
  return m;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string s(values.size() * sizeof(T), '\0');
  std::memcpy(s.data(), values.data(), s.size());
  return s;
}
inline Message tensor(const std::string& name, int64_t dtype, const std::vector<int64_t>& sizes,
                      const std::string& bytes) {
  Message m;
  for (const int64_t s : sizes) m.add(1, s);
  return m.add(2, dtype).add(8, name).add(9, bytes);
}

inline Message graph(const std::vector<Message>& nodes, const std::vector<Message>& inputs,
                     const std::vector<Message>& outputs, const std::vector<Message>& initializers = {}) {
  Message m;
  for (const auto& n : nodes) m.add(1, n);
  m.add(2, "graph");
  for (const auto& t : initializers) m.add(5, t);
  for (const auto& i : inputs) m.add(11, i);
  for (const auto& o : outputs) m.add(12, o);
  return m;
}
inline Message model(const Message& graph, int64_t opset = 13, const std::vector<Message>& functions = {}) {
  Message m;
  m.add(1, int64_t{8}).add(7, graph).add(8, Message().add(2, opset));
  m.add(8, Message().add(1, "mine").add(2, int64_t{1}));
  for (const auto& f : functions) m.add(25, f);
  return m;
}

}  // namespace rangescope::onnx::testing
