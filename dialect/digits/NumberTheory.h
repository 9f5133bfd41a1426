// Number theory of prime fields: exact for all 64-bit moduli.
#pragma once

#include <cstdint>

namespace idc::digits {

bool isPrime(uint64_t value);
uint64_t powerMod(uint64_t base, uint64_t exponent, uint64_t modulus);
/// The least primitive root of the prime `modulus`.
uint64_t primitiveRoot(uint64_t modulus);

} // namespace idc::digits
