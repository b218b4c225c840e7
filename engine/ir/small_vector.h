#pragma once
// A vector whose first N elements need no allocation: most lists of nodes, and the working lists of most walks, are
// short.

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace rangescope {

// GCC 12 takes the inline elements for all that Boost's vector can hold, and warns of what lies beyond.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

// Boost's, with pointers for iterators, which makes it a contiguous range: a std::span can be had of it.
template <class T, size_t N = 16>
class SmallVector : private boost::container::small_vector<T, N> {
  using Base = boost::container::small_vector<T, N>;

 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using Base::assign;
  using Base::at;
  using Base::back;
  using Base::clear;
  using Base::data;
  using Base::emplace_back;
  using Base::empty;
  using Base::front;
  using Base::operator[];
  using Base::pop_back;
  using Base::push_back;
  using Base::reserve;
  using Base::resize;
  using Base::size;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> list) : Base(list) {}
  explicit SmallVector(size_t n) : Base(n) {}
  SmallVector(size_t n, const T& value) : Base(n, value) {}
  template <class Iterator, class End>
  requires(!std::is_integral_v<Iterator>) SmallVector(Iterator begin, End end) : Base(begin, end) {}

  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T* cbegin() const { return data(); }
  const T* cend() const { return data() + size(); }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }

  T* insert(const T* at, const T& value) { return &*Base::insert(place(at), value); }
  T* insert(const T* at, size_t n, const T& value) {
    const std::ptrdiff_t offset = at - begin();
    Base::insert(place(at), n, value);
    return begin() + offset;
  }
  template <class Iterator>
  requires(!std::is_integral_v<Iterator>) T* insert(const T* at, Iterator first, Iterator last) {
    const std::ptrdiff_t offset = at - begin();
    Base::insert(place(at), first, last);
    return begin() + offset;
  }
  T* insert(const T* at, std::initializer_list<T> list) { return insert(at, list.begin(), list.end()); }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    const std::ptrdiff_t offset = first - begin();
    Base::erase(place(first), place(last));
    return begin() + offset;
  }

  template <class Predicate>
  friend void erase_if(SmallVector& v, Predicate predicate) {
    v.erase(std::remove_if(v.begin(), v.end(), predicate), v.end());
  }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return static_cast<const Base&>(a) == static_cast<const Base&>(b);
  }

 private:
  typename Base::const_iterator place(const T* at) const { return Base::cbegin() + (at - data()); }
};

#pragma GCC diagnostic pop

}  // namespace rangescope
