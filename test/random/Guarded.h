// Arrays between pages that nothing may touch, and calls that must not leave them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace idc::random {

/// An array with an inaccessible page on either side, next to one of them. Child processes share it.
class GuardedArray {
public:
  enum class Side { Low, High };
  /// `bytes` bytes, each 0xff, aligned to `alignment`, a power of two of at most a page. Beside the higher page lie
  /// fewer than `alignment` bytes more. Throws std::bad_alloc.
  GuardedArray(size_t bytes, size_t alignment, Side side);
  GuardedArray(GuardedArray &&from) noexcept;
  GuardedArray &operator=(GuardedArray &&) = delete;
  ~GuardedArray();

  char *data() const { return array; }
  size_t size() const { return bytes; }
  /// From now on a write ends the process.
  void makeReadOnly();
  /// True when nothing has been written beside the array, on its pages.
  bool isIntactBeside() const;

private:
  char *pages, *array;
  size_t pageBytes, bytes; // pageBytes: of all of them
};

/// Calls `call` in a child process, so that nothing but arrays above show what it did. What went wrong: the number that
/// it returned, unless 0, or the signal that ended it; empty when nothing did.
std::string callInChild(const std::function<int()> &call);

} // namespace idc::random
