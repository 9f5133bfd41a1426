// A kernel as a list of instructions on 64-bit slots: what one thread of the emulator executes.
#pragma once

#include "compiler/emulator/Scope.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace idc::emulator {

struct Instruction;
/// Computes `slots[result]` from the operand slots.
using Handler = void (*)(uint64_t *slots, const Instruction &instruction);

/// What an instruction counts as.
enum class OpClass : uint8_t { Integer, Fma, Add, Mul, OtherFloat, Move };

struct Instruction {
  enum class Kind : uint8_t {
    Compute,   // handler
    Load,      // slots[result …] from address slots[a] + immediate
    Store,     // slots[b …] to address slots[a] + immediate
    Jump,      // to `target`
    JumpIfNot, // slots[a] is false: to `target`
    Barrier,
    WarpSync,
    ClusterArrive, // `relaxed`: orders no memory
    ClusterWait,
    LaunchDependents,
    AwaitGrids,   // the end of the kernels before
    Atomic,       // slots[result] = what was at address slots[a]; slots[b] is added to it
    LoadAcquire,  // slots[result] from address slots[a]; unless `relaxed`, with what was offered to those who read it
    StoreRelaxed, // slots[b] to address slots[a], whole, for those who load it so
    Fence,        // unless `relaxed`, offers what is known to whoever reads an atomic write that follows
    StoreAsync,   // slots[b …] to address slots[a] + immediate, at some time; counted at the barrier slots[c]
    PhaseInit,    // a counting barrier at address slots[a] for one arrival
    PhasePublish, // publishes counting barriers to the cluster
    PhaseExpect,  // arrives at address slots[a], expecting slots[b] more bytes
    PhaseOver,    // slots[result] = the phase of parity slots[b] is over at slots[a]; `relaxed`: orders no other block
    Time,         // slots[result] = nanoseconds by the clock
    Shuffle,      // slots[result] = slots[a] of lane slots[b], or, `isXor`, of the lane that differs in these bits
    Return
  };

  Kind kind = Kind::Compute;
  OpClass counted = OpClass::Move;
  Scope scope = Scope::Device; // of Atomic, LoadAcquire, StoreRelaxed, Fence
  bool relaxed = false;        // ClusterArrive, PhaseOver, LoadAcquire, Fence
  bool isXor = false;          // Shuffle
  bool late = false;           // Load: may still be under way at a relaxed arrival that follows it
  uint8_t bits = 64;           // of the result; of the operand in conversions
  uint8_t scalars = 1;         // of an access to memory
  uint8_t scalarBytes = 0;     // of an access to memory
  uint8_t alignment = 0;       // of an access to memory: bytes the address must be a multiple of
  uint32_t memoryOp = 0;       // Load, Store, StoreAsync: number among the kernel's accesses
  uint32_t result = 0, a = 0, b = 0, c = 0, d = 0;
  uint32_t target = 0;
  uint64_t immediate = 0;
  Handler handler = nullptr;
  mlir::Operation *op = nullptr;
};

/// Slots of a thread's frame that are set when it starts, before the constants.
enum ReservedSlot : uint32_t { threadSlot, blockSlot, gridSizeSlot, poisonSlot, firstFreeSlot };

/// Bits of a value that was never defined: not a number in every floating-point type.
constexpr uint64_t poisonBits = ~uint64_t(0);

struct Kernel {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<uint32_t> arguments;                         // slot of each parameter
  std::vector<std::pair<uint32_t, uint64_t>> constants;    // slot, value
  std::vector<std::pair<uint32_t, std::string>> addresses; // slot, global
  uint32_t slots = firstFreeSlot;
  std::vector<uint32_t> memoryOps; // instruction of each access
  /// Narrowest access in bytes: memory is watched in units of it.
  int64_t granule = 16;
};

/// A global variable of the module.
struct Global {
  std::string name;
  bool shared = false;   // in shared memory, else in global memory
  bool constant = false; // may not be written
  int64_t bytes = 0;     // 0 in shared memory: the launch's dynamic shared memory
  int64_t alignment = 16;
  std::vector<char> data; // the initial value, or empty
};

struct Program {
  std::map<std::string, Kernel> kernels;
  std::vector<Global> globals;
};

/// Decodes every function with a body of the gpu.module ops in `module`. The error names an op that cannot be executed.
/// The program refers to ops of the module in messages.
llvm::Expected<Program> decode(mlir::ModuleOp module);

} // namespace idc::emulator
