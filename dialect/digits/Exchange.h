// Exchanges: how values move from one mapping to another.
//
// Two mappings of the same digits compose into a map from (reg, lane, warp, rank) to (reg, lane, warp, rank). Stripping
// the fields in which it is the identity leaves the cheapest means: nothing, register renaming, warp shuffles, shared
// memory, or distributed shared memory when the cluster rank moves:
//
//   reg(3) lane(2..1) -> reg(3) lane(2..1)    none
//   reg(4..3) lane(2..1) -> reg(3, 4) lane(2..1)    registers
//   reg(3) lane(2..1) -> reg(2) lane(3, 1)    shuffle: one swap of a register bit with a lane bit
//   reg(3) lane(2..1) warp(4) -> reg(4) lane(2..1) warp(3)    shared
#pragma once

#include "dialect/digits/Mapping.h"
#include "dialect/digits/SharedLayout.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace idc::digits {

enum class ExchangeKind { None, Registers, Shuffle, Shared, Cluster };
/// "none", "registers", "shuffle", "shared", "cluster".
const char *exchangeKindName(ExchangeKind kind);

/// A shuffle plan: rename registers, select on lanes, shuffle, select again (the cycle decomposition of the
/// linear-layout literature). All digits are of radix 2.
///  1. destination register columns: after renaming, register bit i of the new arrangement is old register bit
///     registerSource[i];
///  2. for each swap (r, l): in lanes whose bit laneSource^-1(l) is set exchange registers that differ in bit r;
///  3. every register k is read from lane permute(lane) ^ mask(k);
///  4. the swaps' selects again on bit l.
struct ShufflePlan {
  std::vector<int> registerSource;        // [new reg bit] -> old reg bit
  std::vector<int> laneSource;            // [new lane bit] -> old lane bit
  std::vector<std::pair<int, int>> swaps; // (register bit, lane bit), bits of the new arrangement
};

struct ExchangePlan {
  ExchangeKind kind = ExchangeKind::None;
  std::vector<int> registerSource; // Registers: [new register number] -> old register number
  ShufflePlan shuffle;             // Shuffle
  SharedLayout shared;             // Shared, Cluster
  bool needsBlockBarrier = false;  // false when only lanes of one warp talk to each other: then a warp reads only words
                                   // that it wrote
};

struct ExchangeOptions {
  int maxShuffleSwaps = 1; // more register<->lane swaps than this go through shared memory
  int64_t wordBytes = 8;   // bytes of one shared-memory access (4, 8 or 16)
  int lanes = 32;
  bool padded = false; // layouts are sums, also those of radix 2
};

/// Radix-2 digits that both mappings hold in registers, ascending, `most` of them if there are so many: elements that
/// differ in these can move together.
std::vector<int> commonRegisterDigits(const Mapping &source, const Mapping &destination, int most);

/// Plans the move from `source` to `destination`; both must hold the same digits and pass Mapping::check(). The block
/// and turn fields must agree (false with `error` set otherwise).
bool planExchange(const Mapping &source, const Mapping &destination, const ExchangeOptions &options, ExchangePlan &plan,
                  std::string &error);

} // namespace idc::digits
