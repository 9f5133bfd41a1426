// Indices of tiles: where the digits of a mapping land, as run-time parts and compile-time constants.
#pragma once

#include "dialect/digits/Mapping.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <vector>

namespace idc::conversion {

/// The bits of `value` (an integer of type i32 or i64) moved to their targets: bit b contributes targets[b] (XOR). One
/// AND and one shift per distinct distance (digits::diagonals); a null value when no bit has a target.
mlir::Value scatterBits(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                        const std::vector<uint64_t> &targets);

/// What each column of a field contributes for digit targets `target(digit)` (0: nothing).
std::vector<uint64_t> columnTargets(const std::vector<digits::Column> &columns,
                                    const std::function<uint64_t(int)> &target);

/// The contribution of every value of a field, XOR of its columns' targets.
std::vector<uint64_t> constantTargets(const std::vector<digits::Column> &columns,
                                      const std::function<uint64_t(int)> &target);

/// The contribution of a lane or register number.
uint64_t contributionOf(const std::vector<uint64_t> &columnTargets, uint64_t number);

} // namespace idc::conversion
