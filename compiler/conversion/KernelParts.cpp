#include "compiler/conversion/KernelParts.h"

#include "compiler/conversion/LaunchBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  place.device = frame.device;
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

FormParts::FormParts(TileCode &code, const KernelFrame &frame)
    : FormParts(code, frame.buffers, frame.parameters, frame.cut, RootFactors::Means::Either) {
  if (frame.lowered.launch.dependent)
    barriers.startEarly();
}

VectorParts::VectorParts(TileCode &code, const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                         const Sections &cut, int64_t lanes, int64_t numTurns)
    : place(code, lanes), roots(code, place, RootFactors::Means::Tables), bodies(code, place, roots, parameters),
      barriers(code), accesses(code, place, buffers), loop(code), shuffles(code),
      memory(code, place, [this] { beginTurns(); }), emitter(code, roots, bodies, cut,
                                                             {place,
                                                              &accesses,
                                                              {{Kind::None, &registers},
                                                               {Kind::Registers, &registers},
                                                               {Kind::Shuffle, &shuffles},
                                                               {Kind::Shared, &memory}},
                                                              barriers}),
      numTurns(numTurns) {}

FlatParts::FlatParts(TileCode &code, const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                     const Sections &cut, int64_t lanes)
    : code(code), place(code, lanes), roots(code, place, RootFactors::Means::Tables),
      bodies(code, place, roots, parameters), barriers(code), accesses(code, place, buffers), loop(code),
      memory(code, place, [this](const digits::Mapping &mapping) { beginTurns(mapping); }),
      emitter(code, roots, bodies, cut,
              {place,
               &accesses,
               {{Kind::None, &registers}, {Kind::Registers, &registers}, {Kind::Shared, &memory}},
               barriers}) {}

void FlatParts::beginTurns(const digits::Mapping &mapping) {
  const int64_t threads = mapping.numThreads(), lanes = place.lanes;
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value turn = loop.begin((threads + lanes - 1) / lanes);
  Value start = arith::MulIOp::create(b, loc, turn, code.constant64(lanes));
  place.first = threads % lanes == 0
                    ? start
                    : arith::MinSIOp::create(b, loc, start, code.constant64(threads - lanes)).getResult();
}
