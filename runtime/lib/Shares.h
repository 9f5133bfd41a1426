//===- Shares.h - what each of several devices has of an array --*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_SHARES_H
#define IDC_RUNTIME_LIB_SHARES_H

#include "Manifest.h"
#include "idc/runtime.h"

#include <functional>

namespace idc::runtime {

/// Elements of a problem that all devices have together, each once.
int64_t wholeElements(const Operand &operand);

/// The manifest of the same program for one who has whole arrays: operands with all of their elements.
Manifest wholeOf(const Manifest &manifest);

/// Rows of bytes that lie one after another in a device's part, and `pitch` bytes apart in the whole.
struct Rectangle {
  int64_t width, rows, pitch;
};
/// Calls `move` with the place in the whole and in the part, in bytes, of every rectangle of one problem that a device
/// has, the part's in order; until one returns an error.
idc_status forEachRectangle(const Operand &operand, int32_t device,
                            const std::function<idc_status(int64_t whole, int64_t part, const Rectangle &)> &move);

/// Copies what device number `device` has of `batch` problems: from `whole`, which has all elements of a problem one
/// after another, to `part`, which has that device's. Bytes are those of Operand::elementBytes.
void takeShare(const Operand &operand, int64_t batch, int32_t device, const char *whole, char *part);
/// The other way round.
void putShare(const Operand &operand, int64_t batch, int32_t device, const char *part, char *whole);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_SHARES_H
