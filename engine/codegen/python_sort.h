#pragma once
// Sorting as CPython 3.11 does it. For a consistent order any stable sort gives the same; but nan is neither less nor
// greater than any number, and then the result depends on which elements are compared in which turn. Constants of a
// kernel are sorted like that. (Timsort with the merge order of Munro and Wild, "Nearly-optimal mergesorts".)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rangescope::codegen {

template <class T, class Less>
class PythonSort {
 public:
  PythonSort(std::vector<T>& items, Less less) : items_(items), less_(less) {}

  void sort() {
    const auto size = static_cast<Pos>(items_.size());
    if (size < 2) return;
    const Pos min_run = compute_min_run(size);
    for (Pos at = 0; at < size;) {
      Pos n = count_run(at, size);
      if (n < min_run) {
        const Pos forced = std::min(size - at, min_run);
        insert_rest(at, at + forced, at + n);
        n = forced;
      }
      merge_by_power(n);
      runs_.push_back({at, n, 0});
      at += n;
    }
    while (runs_.size() > 1) {
      size_t i = runs_.size() - 2;
      if (i > 0 && runs_[i - 1].size < runs_[i + 1].size) --i;
      merge_at(i);
    }
  }

 private:
  using Pos = std::ptrdiff_t;
  struct Run {
    Pos begin, size;
    int power;
  };
  static constexpr Pos kMinGallop = 7;

  bool lt(const T& a, const T& b) const { return less_(a, b); }

  static Pos compute_min_run(Pos n) {
    Pos r = 0;
    for (; n >= 64; n >>= 1) r |= n & 1;
    return n + r;
  }

  // Length of the run that begins there; a descending one is reversed.
  Pos count_run(Pos begin, Pos end) {
    Pos at = begin + 1;
    if (at == end) return 1;
    const bool descending = lt(items_[at], items_[at - 1]);
    for (++at; at < end && lt(items_[at], items_[at - 1]) == descending;) ++at;
    if (descending) std::reverse(items_.begin() + begin, items_.begin() + at);
    return at - begin;
  }

  void insert_rest(Pos begin, Pos end, Pos start) {
    if (start == begin) ++start;
    for (; start < end; ++start) {
      Pos l = begin, r = start;
      while (l < r) {
        const Pos p = l + ((r - l) >> 1);
        if (lt(items_[start], items_[p]))
          r = p;
        else
          l = p + 1;
      }
      std::rotate(items_.begin() + l, items_.begin() + start, items_.begin() + start + 1);
    }
  }

  // The level in the tree of merges between the last run and one of n elements after it.
  int power_before(Pos n) const {
    const auto size = static_cast<Pos>(items_.size());
    Pos a = 2 * runs_.back().begin + runs_.back().size, b = a + runs_.back().size + n;
    for (int power = 1;; ++power) {
      if (a >= size) {
        a -= size;
        b -= size;
      } else if (b >= size) {
        return power;
      }
      a <<= 1;
      b <<= 1;
    }
  }
  void merge_by_power(Pos n) {
    if (runs_.empty()) return;
    const int power = power_before(n);
    while (runs_.size() > 1 && runs_[runs_.size() - 2].power > power) merge_at(runs_.size() - 2);
    runs_.back().power = power;
  }

  void merge_at(size_t i) {
    Pos a = runs_[i].begin, na = runs_[i].size;
    const Pos b = runs_[i + 1].begin;
    Pos nb = runs_[i + 1].size;
    runs_[i].size = na + nb;
    runs_.erase(runs_.begin() + static_cast<Pos>(i) + 1);
    const Pos k = gallop_right(items_[b], &items_[a], na, 0);
    a += k;
    na -= k;
    if (na == 0) return;
    nb = gallop_left(items_[a + na - 1], &items_[b], nb, nb - 1);
    if (nb <= 0) return;
    if (na <= nb)
      merge_low(a, na, b, nb);
    else
      merge_high(a, na, b, nb);
  }

  // Where `key` belongs in a[0, n): before what equals it (left) or after (right), looked for from `hint` on.
  Pos gallop_left(const T& key, const T* a, Pos n, Pos hint) const {
    Pos last = 0, ofs = 1;
    if (lt(a[hint], key)) {
      const Pos most = n - hint;
      while (ofs < most && lt(a[hint + ofs], key)) {
        last = ofs;
        ofs = (ofs << 1) + 1;
      }
      ofs = std::min(ofs, most);
      last += hint;
      ofs += hint;
    } else {
      const Pos most = hint + 1;
      while (ofs < most && !lt(a[hint - ofs], key)) {
        last = ofs;
        ofs = (ofs << 1) + 1;
      }
      ofs = std::min(ofs, most);
      const Pos k = last;
      last = hint - ofs;
      ofs = hint - k;
    }
    for (++last; last < ofs;) {
      const Pos m = last + ((ofs - last) >> 1);
      if (lt(a[m], key))
        last = m + 1;
      else
        ofs = m;
    }
    return ofs;
  }
  Pos gallop_right(const T& key, const T* a, Pos n, Pos hint) const {
    Pos last = 0, ofs = 1;
    if (lt(key, a[hint])) {
      const Pos most = hint + 1;
      while (ofs < most && lt(key, a[hint - ofs])) {
        last = ofs;
        ofs = (ofs << 1) + 1;
      }
      ofs = std::min(ofs, most);
      const Pos k = last;
      last = hint - ofs;
      ofs = hint - k;
    } else {
      const Pos most = n - hint;
      while (ofs < most && !lt(key, a[hint + ofs])) {
        last = ofs;
        ofs = (ofs << 1) + 1;
      }
      ofs = std::min(ofs, most);
      last += hint;
      ofs += hint;
    }
    for (++last; last < ofs;) {
      const Pos m = last + ((ofs - last) >> 1);
      if (lt(key, a[m]))
        ofs = m;
      else
        last = m + 1;
    }
    return ofs;
  }

  // Merges neighbours, na <= nb, from the front. The first of b is less than all of a, the last of a greater than all
  // of b.
  void merge_low(Pos to, Pos na, Pos b, Pos nb) {
    const std::vector<T> held(items_.begin() + to, items_.begin() + to + na);
    const T* a = held.data();
    const auto take_a = [&](Pos k) {
      std::copy(a, a + k, items_.begin() + to);
      a += k;
      to += k;
      na -= k;
    };
    const auto take_b = [&](Pos k) {
      std::copy(items_.begin() + b, items_.begin() + b + k, items_.begin() + to);
      b += k;
      to += k;
      nb -= k;
    };
    merge_low_loop(a, na, b, nb, take_a, take_b);
    if (na == 1 && nb > 0) {
      take_b(nb);
      take_a(1);
    } else {
      take_a(na);
    }
  }
  template <class TakeA, class TakeB>
  void merge_low_loop(const T*& a, Pos& na, Pos& b, Pos& nb, TakeA take_a, TakeB take_b) {
    take_b(1);
    if (nb == 0 || na == 1) return;
    Pos gallop = min_gallop_;
    for (;;) {
      for (Pos ca = 0, cb = 0;;) {
        if (lt(items_[b], *a)) {
          take_b(1);
          ++cb;
          ca = 0;
          if (nb == 0) return;
          if (cb >= gallop) break;
        } else {
          take_a(1);
          ++ca;
          cb = 0;
          if (na == 1) return;
          if (ca >= gallop) break;
        }
      }
      ++gallop;
      Pos ca = 0, cb = 0;
      do {
        gallop -= gallop > 1 ? 1 : 0;
        min_gallop_ = gallop;
        ca = gallop_right(items_[b], a, na, 0);
        if (ca > 0) {
          take_a(ca);
          if (na <= 1) return;
        }
        take_b(1);
        if (nb == 0) return;
        cb = gallop_left(*a, &items_[b], nb, 0);
        if (cb > 0) {
          take_b(cb);
          if (nb == 0) return;
        }
        take_a(1);
        if (na == 1) return;
      } while (ca >= kMinGallop || cb >= kMinGallop);
      min_gallop_ = ++gallop;
    }
  }

  // The same from the back, na > nb.
  void merge_high(Pos a, Pos na, Pos b, Pos nb) {
    const std::vector<T> held(items_.begin() + b, items_.begin() + b + nb);
    Pos to = b + nb;  // one past the next place
    const auto take_a = [&](Pos k) {
      std::copy_backward(items_.begin() + a + na - k, items_.begin() + a + na, items_.begin() + to);
      na -= k;
      to -= k;
    };
    const auto take_b = [&](Pos k) {
      std::copy_backward(held.begin() + nb - k, held.begin() + nb, items_.begin() + to);
      nb -= k;
      to -= k;
    };
    merge_high_loop(a, na, held, nb, take_a, take_b);
    if (nb == 1 && na > 0) {
      take_a(na);
      take_b(1);
    } else {
      take_b(nb);
    }
  }
  template <class TakeA, class TakeB>
  void merge_high_loop(Pos a, Pos& na, const std::vector<T>& held, Pos& nb, TakeA take_a, TakeB take_b) {
    take_a(1);
    if (na == 0 || nb == 1) return;
    Pos gallop = min_gallop_;
    for (;;) {
      for (Pos ca = 0, cb = 0;;) {
        if (lt(held[nb - 1], items_[a + na - 1])) {
          take_a(1);
          ++ca;
          cb = 0;
          if (na == 0) return;
          if (ca >= gallop) break;
        } else {
          take_b(1);
          ++cb;
          ca = 0;
          if (nb == 1) return;
          if (cb >= gallop) break;
        }
      }
      ++gallop;
      Pos ca = 0, cb = 0;
      do {
        gallop -= gallop > 1 ? 1 : 0;
        min_gallop_ = gallop;
        ca = na - gallop_right(held[nb - 1], &items_[a], na, na - 1);
        if (ca > 0) {
          take_a(ca);
          if (na == 0) return;
        }
        take_b(1);
        if (nb == 1) return;
        cb = nb - gallop_left(items_[a + na - 1], held.data(), nb, nb - 1);
        if (cb > 0) {
          take_b(cb);
          if (nb <= 1) return;
        }
        take_a(1);
        if (na == 0) return;
      } while (ca >= kMinGallop || cb >= kMinGallop);
      min_gallop_ = ++gallop;
    }
  }

  std::vector<T>& items_;
  Less less_;
  std::vector<Run> runs_;
  Pos min_gallop_ = kMinGallop;
};

template <class T, class Less>
void python_sort(std::vector<T>& items, Less less) {
  PythonSort<T, Less>(items, less).sort();
}

}  // namespace rangescope::codegen
