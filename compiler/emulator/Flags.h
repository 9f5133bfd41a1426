// Places of global memory through which blocks talk: atomic writes, what is offered with them, and which of them a
// thread may still read.
#pragma once

#include "compiler/emulator/Memory.h"

#include <deque>
#include <map>
#include <memory>

namespace idc::emulator {

/// Of other blocks: their accesses before so many of their barriers come before what a thread does now. Of devices
/// (knownDevice): so do those of grids before this one.
using Known = std::map<uint32_t, uint32_t>;
constexpr uint32_t knownDevice = uint32_t(1) << 31; // + its number
/// What is known of devices, which holds in every grid.
std::shared_ptr<const Known> ofDevices(const std::shared_ptr<const Known> &known);

/// A place that atomic writes have changed, with the newest of its values.
struct Flag {
  struct Value {
    uint64_t bits = 0;
    bool written = true;
    Access writer; // none: the value at first
    /// What an acquiring read learns: from all writes for the device, and from each other one.
    std::shared_ptr<const Known> forDevice, forSystem;
    struct Offer {
      Scope scope;
      uint32_t block;
      std::shared_ptr<const Known> known;
    };
    std::vector<Offer> narrower;
  };
  static constexpr size_t remembered = 16;
  std::deque<Value> values; // oldest first
  uint32_t dropped = 0;     // values older than these

  uint32_t newest() const { return dropped + static_cast<uint32_t>(values.size()) - 1; }
  const Value &at(uint32_t number) const { return values[number - dropped]; }
  void add(Value value) {
    values.push_back(std::move(value));
    if (values.size() > remembered) {
      values.pop_front();
      ++dropped;
    }
  }
};

/// What a block has read from flags.
struct FlagsSeen {
  std::map<const char *, uint32_t> newest;                       // value that some thread has read
  std::map<std::pair<uint32_t, const char *>, uint32_t> refused; // value that a thread has got an older one instead of
};

} // namespace idc::emulator
