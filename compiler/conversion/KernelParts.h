// The parts of an emitter, put together: for addresses of bits, of linear forms, and for the vectors of a CPU.
#pragma once

#include "compiler/conversion/KernelFrame.h"
#include "compiler/conversion/TileEmitter.h"
#include "compiler/conversion/addresses/BitAccesses.h"
#include "compiler/conversion/addresses/FlatAccesses.h"
#include "compiler/conversion/addresses/StagedAccesses.h"
#include "compiler/conversion/addresses/VectorAccesses.h"
#include "compiler/conversion/addresses/ViewAccesses.h"
#include "compiler/conversion/exchanges/BitExchange.h"
#include "compiler/conversion/exchanges/FlatExchange.h"
#include "compiler/conversion/exchanges/FormExchange.h"
#include "compiler/conversion/exchanges/PackedWords.h"
#include "compiler/conversion/exchanges/PostExchange.h"
#include "compiler/conversion/exchanges/RegisterExchange.h"
#include "compiler/conversion/exchanges/VectorExchange.h"
#include "compiler/conversion/protocols/TurnLoop.h"

namespace idc::conversion {

/// Addresses are put together from bits: the fast path of straight kernels.
struct BitParts {
  BitParts(TileCode &code, const KernelFrame &frame);
  BitParts(const BitParts &) = delete;
  BitPlace place;
  RootFactors roots;
  Bodies bodies;
  Barriers barriers;
  BitAccesses accesses;
  RegisterExchange registers;
  ShuffleExchange shuffles;
  BitExchange memory;
  PackedExchange packedShuffles, packedMemory;
  TileEmitter emitter;
};

/// Addresses are linear forms in digits of any radices.
struct FormParts {
  FormParts(TileCode &code, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers, const Parameters &parameters,
            const Sections &cut, RootFactors::Means means);
  /// Of a kernel on its own, which may start before those ahead of it have ended.
  FormParts(TileCode &code, const KernelFrame &frame);
  FormParts(const FormParts &) = delete;
  FormPlace place;
  RootFactors roots;
  Bodies bodies;
  TeamRound round;
  Barriers barriers;
  ViewAccesses accesses;
  StagedAccesses staged;
  RegisterExchange registers;
  FormExchange memory;
  PostExchange posts;
  TurnSteps turns;
  TileEmitter emitter;
};

/// Registers are vectors of a CPU, of so many lanes, digits are bits; a block is done in so many turns.
struct VectorParts {
  VectorParts(TileCode &code, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers, const Parameters &parameters,
              const Sections &cut, int64_t lanes, int64_t numTurns);
  VectorParts(const VectorParts &) = delete;
  VectorPlace place;
  RootFactors roots;
  Bodies bodies;
  Barriers barriers;
  VectorAccesses accesses;
  TurnLoop loop;
  RegisterExchange registers;
  LaneExchange shuffles;
  ScratchExchange memory;
  TileEmitter emitter;

  void beginTurns() { place.turn = numTurns == 1 ? mlir::Value() : loop.begin(numTurns); }

private:
  const int64_t numTurns;
};

/// The same with digits of any radices: threads are counted through, so many to a turn.
struct FlatParts {
  FlatParts(TileCode &code, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers, const Parameters &parameters,
            const Sections &cut, int64_t lanes);
  FlatParts(const FlatParts &) = delete;
  TileCode &code;
  FlatPlace place;
  RootFactors roots;
  Bodies bodies;
  Barriers barriers;
  FlatAccesses accesses;
  TurnLoop loop;
  RegisterExchange registers;
  FlatExchange memory;
  TileEmitter emitter;

  /// The turns of all threads of a mapping.
  void beginTurns(const digits::Mapping &mapping);
};

} // namespace idc::conversion
