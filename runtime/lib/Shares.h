//===- Shares.h - what each of several devices has of an array --*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_SHARES_H
#define IDC_RUNTIME_LIB_SHARES_H

#include "Manifest.h"

namespace idc::runtime {

/// The manifest of the same program for one who has whole arrays: operands with all of their elements.
Manifest wholeOf(const Manifest &manifest);

/// Copies what device number `device` has of `batch` problems: from `whole`, which has all elements of a problem one
/// after another, to `part`, which has that device's. Bytes are those of Operand::elementBytes.
void takeShare(const Operand &operand, int64_t batch, int32_t device, const char *whole, char *part);
/// The other way round.
void putShare(const Operand &operand, int64_t batch, int32_t device, const char *part, char *whole);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_SHARES_H
