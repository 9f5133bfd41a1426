// Number theory of residues and prime fields: exact for all 64-bit moduli.
#pragma once

#include <cstdint>

namespace idc::digits {

bool isPrime(uint64_t value);
uint64_t powerMod(uint64_t base, uint64_t exponent, uint64_t modulus);
/// The x from 0 to `modulus` - 1 with a·x = 1 mod `modulus`, by Euclid's algorithm; 0 where there is none, and modulo 1.
int64_t inverseMod(int64_t a, int64_t modulus);
/// The least primitive root of the prime `modulus`.
uint64_t primitiveRoot(uint64_t modulus);

} // namespace idc::digits
