#pragma once
// A vector whose first N elements need no allocation: most lists of nodes, and the working lists of most walks, are
// short. For elements that are copied by copying their bytes; adding one is inlined, which is most of what lists of
// nodes are used for.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace rangescope {

template <class T, size_t N = 16>
class SmallVector {
  static_assert(std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() : data_(inline_elements()) {}
  SmallVector(std::initializer_list<T> list) : SmallVector(list.begin(), list.end()) {}
  explicit SmallVector(size_t n) : SmallVector() { resize(n); }
  SmallVector(size_t n, const T& value) : SmallVector() { fill(0, n, value); }
  template <std::input_iterator Iterator, std::sentinel_for<Iterator> End>
  SmallVector(Iterator first, End last) : SmallVector() {
    copy_to(0, first, last);
  }
  SmallVector(const SmallVector& o) : SmallVector(o.begin(), o.end()) {}
  SmallVector(SmallVector&& o) noexcept : SmallVector() { take(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) assign(o.begin(), o.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this == &o) return *this;
    release();
    take(o);
    return *this;
  }
  ~SmallVector() { release(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T* cbegin() const { return begin(); }
  const T* cend() const { return end(); }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& at(size_t i) { return data_[checked(i)]; }
  const T& at(size_t i) const { return data_[checked(i)]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void push_back(const T& value) { emplace_back(value); }
  template <class... A>
  T& emplace_back(A&&... a) {
    if (size_ == capacity_) [[unlikely]] {
      const T made(std::forward<A>(a)...);  // may be of an element that moves
      reserve(size_ + 1);
      return *std::construct_at(data_ + size_++, made);
    }
    return *std::construct_at(data_ + size_++, std::forward<A>(a)...);
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    n = std::max(n, capacity_ * 2);
    T* bigger = std::allocator<T>().allocate(n);
    std::uninitialized_copy(begin(), end(), bigger);
    release();
    data_ = bigger;
    capacity_ = n;
  }
  void resize(size_t n, const T& value = T()) {
    if (n > size_)
      fill(size_, n - size_, value);
    else
      size_ = n;
  }
  template <class Iterator, class End>
  void assign(Iterator first, End last) {
    clear();
    copy_to(0, first, last);
  }

  T* insert(const T* at, const T& value) { return fill(place(at), 1, value); }
  T* insert(const T* at, size_t n, const T& value) { return fill(place(at), n, value); }
  // The elements are not this vector's own.
  template <std::forward_iterator Iterator, std::sentinel_for<Iterator> End>
  T* insert(const T* at, Iterator first, End last) {
    return copy_to(place(at), first, last);
  }
  T* insert(const T* at, std::initializer_list<T> list) { return insert(at, list.begin(), list.end()); }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    T* to = begin() + (first - begin());
    std::copy(begin() + (last - begin()), end(), to);
    size_ -= static_cast<size_t>(last - first);
    return to;
  }
  template <class Predicate>
  friend void erase_if(SmallVector& v, Predicate predicate) {
    v.erase(std::remove_if(v.begin(), v.end(), predicate), v.end());
  }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* inline_elements() { return reinterpret_cast<T*>(inline_); }
  bool is_inline() const { return data_ == reinterpret_cast<const T*>(inline_); }
  size_t checked(size_t i) const {
    if (i >= size_) throw std::out_of_range("an index beyond the end of a list");
    return i;
  }
  size_t place(const T* at) const { return static_cast<size_t>(at - begin()); }
  // Room for `n` elements, whose values are to be set.
  T* make_gap(size_t at, size_t n) {
    reserve(size_ + n);
    for (size_t i = size_; i-- > at;) std::construct_at(data_ + i + n, data_[i]);
    size_ += n;
    return data_ + at;
  }
  T* fill(size_t at, size_t n, const T& value) {
    const T made(value);  // may be of an element that moves
    T* gap = make_gap(at, n);
    std::uninitialized_fill_n(gap, n, made);
    return gap;
  }
  template <class Iterator, class End>
  T* copy_to(size_t at, Iterator first, End last) {
    T* gap = make_gap(at, static_cast<size_t>(std::ranges::distance(first, last)));
    for (T* to = gap; first != last; ++first) std::construct_at(to++, *first);
    return gap;
  }
  // The elements of another, which has none then. This one has none of its own.
  void take(SmallVector& o) {
    if (o.is_inline()) {
      std::uninitialized_copy(o.begin(), o.end(), inline_elements());
      data_ = inline_elements();
      capacity_ = N;
    } else {
      data_ = std::exchange(o.data_, o.inline_elements());
      capacity_ = std::exchange(o.capacity_, N);
    }
    size_ = std::exchange(o.size_, 0);
  }
  void release() {
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
  }

  T* data_;
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];  // NOLINT(bugprone-sizeof-expression): a T may be a pointer
};

}  // namespace rangescope
