//===- HalfFloat.h - 16-bit floating point on the host ----------*- C++ -*-===//

#ifndef IDC_HOST_HALFFLOAT_H
#define IDC_HOST_HALFFLOAT_H

#include <cstdint>

namespace idc::host {

/// IEEE 754 binary16. Rounds to nearest even; overflow gives infinity.
uint16_t toHalf(float value);
float fromHalf(uint16_t bits);

/// bfloat16: the upper half of a binary32. Rounds to nearest even.
uint16_t toBFloat16(float value);
float fromBFloat16(uint16_t bits);

} // namespace idc::host

#endif // IDC_HOST_HALFFLOAT_H
