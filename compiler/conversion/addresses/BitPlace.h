// A thread's digits where all are of radix 2: bits of its numbers, moved to where they are needed.
#pragma once

#include "compiler/conversion/ThreadPlace.h"
#include "compiler/conversion/addresses/Access.h"

namespace idc::conversion {

class BitPlace : public ThreadPlace {
public:
  using ThreadPlace::ThreadPlace;

  mlir::Value block; // i32: the block digits, the rest of the batch on top

  mlir::Value digit(int digit, const digits::Mapping &mapping) override;
  std::pair<mlir::Value, mlir::Value> entry(const std::string &table, const TwiddleFactor &factor,
                                            const digits::Mapping &mapping, mlir::Type scalar) override;

  /// What a digit contributes to a number.
  using Target = std::function<uint64_t(int)>;
  /// Lanes and warps as bits of the thread number.
  std::vector<uint64_t> threadTargets(const digits::Mapping &mapping, const Target &target) const;
  /// The digits of the thread, of its rank or of its device, moved to their targets, i32; null when none has one.
  mlir::Value threadBits(const digits::Mapping &mapping, const Target &target);
  mlir::Value rankBits(const digits::Mapping &mapping, const Target &target);
  mlir::Value deviceBits(const digits::Mapping &mapping, const Target &target);
  /// Digits of thread, rank, block and device moved to their targets, in the given integer type; null when none has
  /// one.
  mlir::Value positionBits(const digits::Mapping &mapping, const Target &target, mlir::Type type);
  /// The block number's part in 64 bits: block digits, then the rest of the batch from bit `restBit` up.
  mlir::Value blockPart(const digits::Mapping &mapping, const Target &target, int restBit);

  /// True when every problem of this block lies in the batch.
  mlir::Value blockIsFull(const Access &access, const digits::Mapping &mapping);
  /// True when the problem of register `r` lies in the batch.
  mlir::Value inBatch(const Access &access, const digits::Mapping &mapping, size_t r);
};

} // namespace idc::conversion
