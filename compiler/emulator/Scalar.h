// Arithmetic of the arith and math dialects on slots.
//
// Integers are held zero-extended, floating-point numbers as their bits. Every op rounds once, to nearest even.
// Numbers of 16 bits are computed in double precision and then rounded, which gives the same for the four operations
// and the square root; sums of three terms and conversions are first rounded to odd, so that the second rounding is
// right.
#pragma once

#include "compiler/emulator/Program.h"

#include "llvm/ADT/StringRef.h"

namespace idc::emulator {

enum class Number : uint8_t { F32, F64, F16, BF16 };

struct ScalarOp {
  Handler handler = nullptr;
  OpClass counted = OpClass::OtherFloat;
};

/// The op called `name` on floating-point numbers (arith.addf, math.sqrt, …); a null handler for another op.
ScalarOp floatOp(llvm::StringRef name, Number type);
/// The op called `name` on integers of `bits` bits (arith.addi, …).
ScalarOp integerOp(llvm::StringRef name);
/// The full product of two integers: its low half to slots[result], its high half to slots[d].
ScalarOp multiplyExtended();
/// Comparisons; Instruction::immediate holds the relations that satisfy the predicate.
ScalarOp compareFloats(Number type);
ScalarOp compareIntegers();
/// The relations of a predicate number of arith.cmpf and arith.cmpi.
uint64_t floatRelations(uint64_t predicate);
uint64_t integerRelations(uint64_t predicate);
/// Conversions; the width of the integer is Instruction::bits.
ScalarOp integerToFloat(Number to, bool isSigned);
ScalarOp floatToInteger(Number from, bool isSigned);
ScalarOp convertFloat(Number from, Number to);

/// slots[result] = slots[a], cut to Instruction::bits.
void move(uint64_t *slots, const Instruction &i);
/// Sign extension from Instruction::immediate bits.
void extendSigned(uint64_t *slots, const Instruction &i);
/// Instruction::bits bits of slots[a] from bit Instruction::immediate on.
void extractBits(uint64_t *slots, const Instruction &i);
/// The low Instruction::immediate bits of Instruction::scalars slots from slots[a] on, side by side.
void joinBits(uint64_t *slots, const Instruction &i);
/// slots[c] if slots[a] is false, else slots[b].
void select(uint64_t *slots, const Instruction &i);
/// Address arithmetic: slots[a] + slots[b] (signed, Instruction::bits wide) * immediate.
void addScaled(uint64_t *slots, const Instruction &i);
/// The address slots[a] of shared memory in the block of rank slots[b] of the cluster.
void mapToRank(uint64_t *slots, const Instruction &i);
/// slots[a] + immediate
void addImmediate(uint64_t *slots, const Instruction &i);

} // namespace idc::emulator
