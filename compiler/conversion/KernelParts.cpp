#include "compiler/conversion/KernelParts.h"

#include "compiler/conversion/LaunchBounds.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

using Kind = id::ExchangeKind;

BitParts::BitParts(TileCode &code, const KernelFrame &frame)
    : place(code), roots(code, place, RootFactors::Means::Either), bodies(code, place, roots, frame.parameters),
      barriers(code), accesses(code, place, frame.buffers, frame.target.vectorBytes), shuffles(code, place),
      memory(code, place, barriers), packedShuffles(code, shuffles), packedMemory(code, memory),
      emitter(code, roots, bodies, frame.cut,
              {place,
               &accesses,
               {{Kind::None, &registers},
                {Kind::Registers, &registers},
                {Kind::Shuffle, &packedShuffles},
                {Kind::Shared, &packedMemory},
                {Kind::Cluster, &packedMemory}},
               barriers}) {
  roots.registersAhead = registersForFactors(frame.kernel);
  place.thread = frame.thread;
  place.rank = frame.rank;
  place.block = frame.block;
  place.batch = frame.batch;
  memory.onTheWay = [this](id::ExchangeOp op) { emitter.loadBehind(op); };
  memory.inPlace = frame.inPlace;
  if (frame.lowered.launch.dependent)
    barriers.startEarly();
}

FormParts::FormParts(TileCode &code, const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                     const Sections &cut, RootFactors::Means means)
    : place(code), roots(code, place, means), bodies(code, place, roots, parameters), barriers(code),
      accesses(code, place, buffers, bodies), staged(code, place, buffers, bodies), memory(code, place, round, bodies),
      posts(code, place, round), turns(code, place, bodies, round), emitter(code, roots, bodies, cut,
                                                                            {place,
                                                                             &accesses,
                                                                             {{Kind::None, &registers},
                                                                              {Kind::Registers, &registers},
                                                                              {Kind::Shared, &memory},
                                                                              {Kind::Cluster, &memory},
                                                                              {Kind::Grid, &posts}},
                                                                             barriers,
                                                                             &turns,
                                                                             &staged}) {}

VectorParts::VectorParts(TileCode &code, const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                         const Sections &cut, int64_t lanes, int64_t numTurns)
    : place(code, lanes), roots(code, place, RootFactors::Means::Tables), bodies(code, place, roots, parameters),
      barriers(code), accesses(code, place, buffers), turns(code, place, numTurns), shuffles(code),
      memory(code, place, turns), emitter(code, roots, bodies, cut,
                                          {place,
                                           &accesses,
                                           {{Kind::None, &registers},
                                            {Kind::Registers, &registers},
                                            {Kind::Shuffle, &shuffles},
                                            {Kind::Shared, &memory}},
                                           barriers}) {}
