// What several devices have of the sequences of a function, which it carries as attributes:
//   func.func @f(%x: S {id.device_digits = array<i64: 12, 11>}) -> S attributes {id.devices = 4 : i64}
//   %0 = id.kernel "f_k0" grid(%x) : (S) -> S {…} {id.device_digits = [array<i64: 2, 1>]}
// Digits are those of the sequence, most significant first; their values make up the number of the device that has an
// element. Without digits every device has all elements.
#pragma once

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::id {

/// On a function: how many devices work on it together. On an argument, a result, and for each result of a kernel: the
/// digits that number devices.
constexpr const char devicesAttr[] = "id.devices", deviceDigitsAttr[] = "id.device_digits";

/// On an argument or a result of a function for several devices: what its user asks for, as a string. `top` (as without
/// it): the highest digits number devices; `low`: the lowest ones; `all`: every device has all of it; otherwise digits,
/// most significant first: `12, 11`.
constexpr const char distributionAttr[] = "id.distribution";
/// The digits that this text means for a sequence, least significant first. Nothing, with `error` set, for a text that
/// is none of these, or digits that do not number as many devices. One element is on every device.
std::optional<std::vector<int>> distributedDigits(SeqType type, llvm::StringRef text, int64_t devices,
                                                  std::string &error);
/// What the function's argument or result asks for.
llvm::StringRef distributionOf(mlir::Attribute text);

/// 1 without the attribute.
int64_t devicesOf(mlir::func::FuncOp function);
void setDevices(mlir::func::FuncOp function, int64_t devices);

/// The digits that number the devices of an argument or a result of the function, or of a kernel's result, least
/// significant first; of what is joined from kernels' results, those of the whole.
std::vector<int> deviceDigits(mlir::func::FuncOp function, mlir::Value value);
std::vector<int> argumentDeviceDigits(mlir::func::FuncOp function, int argument);
std::vector<int> resultDeviceDigits(mlir::func::FuncOp function, int result);
/// `digits` in the same order.
mlir::DenseI64ArrayAttr deviceDigitsAttribute(mlir::MLIRContext *context, llvm::ArrayRef<int> digits);

/// The value of the function that a kernel's result is a part of: what it is joined to, or itself.
mlir::Value wholeOf(mlir::Value result);

} // namespace idc::id
