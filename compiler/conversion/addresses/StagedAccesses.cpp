#include "compiler/conversion/addresses/StagedAccesses.h"

#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static constexpr int64_t vectorBytes = widestAccess;

//===--- stretches ------------------------------------------------------------------------------------------------===//

StagedAccesses::Stretch StagedAccesses::stretchOf(Operation *op, Value buffer) {
  const ViewLayout layout = layoutOf(buffer, buffers);
  const int64_t problemBytes = layout.view.problem * layout.bytes.front();
  Stretch stretch;
  stretch.piece = std::gcd(vectorBytes, problemBytes);
  stretch.isShifted = problems * problemBytes % sectorBytes != 0;
  Value start = arith::MulIOp::create(b, loc, place.first, code.constant64(problemBytes));
  stretch.low = code.constant32(0);
  if (stretch.isShifted) {
    Value shift = arith::AndIOp::create(b, loc, start, code.constant64(sectorBytes - 1));
    start = arith::SubIOp::create(b, loc, start, shift);
    stretch.low = arith::TruncIOp::create(b, loc, b.getI32Type(), shift);
  }
  stretch.memory = code.byteOffset(buffers.find(buffer)->second.planes.front(), start);
  stretch.copy = code.at(sharedMemory(b, loc), numberOf(op, sharedOffsetAttr) * std::max<int64_t>(place.sideBySide, 1));
  stretch.bytes = problems * problemBytes + (stretch.isShifted ? sectorBytes - std::gcd(sectorBytes, problemBytes) : 0);
  Value count = arith::MinSIOp::create(b, loc, arith::SubIOp::create(b, loc, place.batch, place.first),
                                       code.constant64(problems));
  Value own = arith::MulIOp::create(b, loc, arith::TruncIOp::create(b, loc, b.getI32Type(), count),
                                    code.constant32(problemBytes));
  stretch.high = stretch.isShifted ? arith::AddIOp::create(b, loc, stretch.low, own).getResult() : own;
  auto rounded = [&](Value bytes) -> Value {
    return arith::AndIOp::create(b, loc, bytes, code.constant32(-vectorBytes));
  };
  stretch.lowest = stretch.low;
  if (stretch.isShifted && stretch.piece < vectorBytes)
    stretch.lowest = rounded(arith::AddIOp::create(b, loc, stretch.low, code.constant32(vectorBytes - 1)));
  stretch.highest = stretch.piece < vectorBytes ? rounded(stretch.high) : stretch.high;
  return stretch;
}

void StagedAccesses::forEachVector(const Stretch &stretch, llvm::function_ref<void(Value, Value)> visit) {
  // All begin a sector together.
  const int64_t working = std::max<int64_t>(1, threads - threads % (sectorBytes / vectorBytes));
  Value works;
  if (working < threads)
    works = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, code.constant32(working));
  Value own = arith::MulIOp::create(b, loc, thread, code.constant32(vectorBytes));
  for (int64_t at = 0; at < stretch.bytes; at += working * vectorBytes) {
    Value place = at ? arith::AddIOp::create(b, loc, own, code.constant32(at)).getResult() : own;
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, stretch.highest);
    if (works)
      inside = arith::AndIOp::create(b, loc, inside, works);
    if (at == 0 && stretch.isShifted)
      inside = arith::AndIOp::create(b, loc, inside,
                                     arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, place, stretch.lowest));
    visit(place, inside);
  }
}

void StagedAccesses::copyEnds(const Stretch &stretch, Value from, Value to) {
  const int64_t atEnd = vectorBytes / stretch.piece - 1; // pieces
  if (!atEnd)
    return;
  const int64_t pieces = stretch.isShifted ? 2 * atEnd : atEnd;
  Value own = arith::MulIOp::create(b, loc, thread, code.constant32(stretch.piece));
  Value at = arith::AddIOp::create(b, loc, own, stretch.highest), end = stretch.high;
  if (stretch.isShifted) {
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, code.constant32(atEnd));
    at = arith::SelectOp::create(b, loc, isFirst, arith::AddIOp::create(b, loc, own, stretch.low),
                                 arith::SubIOp::create(b, loc, at, code.constant32(atEnd * stretch.piece)));
    end = arith::SelectOp::create(b, loc, isFirst, stretch.lowest, end);
  }
  Value copies = arith::AndIOp::create(
      b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, code.constant32(pieces)),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, end));
  place.where(copies, [&] {
    Value bytes = arith::ExtUIOp::create(b, loc, b.getI64Type(), at);
    Type type = b.getIntegerType(static_cast<unsigned>(8 * stretch.piece));
    code.write(code.read(type, code.byteOffset(from, bytes), false), code.byteOffset(to, bytes), false);
  });
}

//===--- copies ---------------------------------------------------------------------------------------------------===//

void StagedAccesses::fetch(id::LoadOp op) {
  const Stretch stretch = stretchOf(op, op.getBuffer());
  const Type type = VectorType::get({vectorBytes / 4}, b.getI32Type());
  struct Copied {
    Value at, inside, vector;
  };
  SmallVector<Copied> copied; // all are on their way before the first is there
  Value last = arith::SubIOp::create(b, loc, stretch.highest, code.constant32(vectorBytes));
  bool first = true;
  forEachVector(stretch, [&](Value at, Value inside) {
    // What is outside is replaced by what is inside, and not used.
    Value from = arith::MinSIOp::create(b, loc, at, last);
    if (first && stretch.isShifted)
      from = arith::MaxSIOp::create(b, loc, from, stretch.lowest);
    first = false;
    from = arith::ExtUIOp::create(b, loc, b.getI64Type(), from);
    copied.push_back({at, inside, code.read(type, code.byteOffset(stretch.memory, from), false)});
  });
  copyEnds(stretch, stretch.memory, stretch.copy);
  for (const Copied &own : copied)
    place.where(own.inside, [&] {
      Value bytes = arith::ExtUIOp::create(b, loc, b.getI64Type(), own.at);
      code.write(own.vector, code.byteOffset(stretch.copy, bytes), false);
    });
}

void StagedAccesses::send(id::StoreOp op) {
  const Stretch stretch = stretchOf(op, op.getBuffer());
  const Type type = VectorType::get({vectorBytes / 4}, b.getI32Type());
  forEachVector(stretch, [&](Value at, Value inside) {
    place.where(inside, [&] {
      Value bytes = arith::ExtUIOp::create(b, loc, b.getI64Type(), at);
      code.write(code.read(type, code.byteOffset(stretch.copy, bytes), false), code.byteOffset(stretch.memory, bytes),
                 false);
    });
  });
  copyEnds(stretch, stretch.copy, stretch.memory);
}

//===--- tiles ----------------------------------------------------------------------------------------------------===//

DenseMap<Value, BufferMemory> StagedAccesses::copyOf(Operation *op, Value buffer) {
  const Stretch stretch = stretchOf(op, buffer);
  BufferMemory memory = buffers.find(buffer)->second;
  memory.streams = false;
  memory.planes.front() =
      stretch.isShifted ? code.byteOffset(stretch.copy, arith::ExtUIOp::create(b, loc, b.getI64Type(), stretch.low))
                        : stretch.copy;
  DenseMap<Value, BufferMemory> result;
  result[buffer] = memory;
  return result;
}

FailureOr<Tile> StagedAccesses::load(id::LoadOp op) {
  const DenseMap<Value, BufferMemory> copy = copyOf(op, op.getBuffer());
  ViewAccesses accesses(code, place, copy, bodies);
  accesses.origin = place.first;
  return accesses.load(op, [] {});
}

LogicalResult StagedAccesses::store(id::StoreOp op, const Tile &tile) {
  const DenseMap<Value, BufferMemory> copy = copyOf(op, op.getBuffer());
  ViewAccesses accesses(code, place, copy, bodies);
  accesses.origin = place.first;
  return accesses.store(op, tile);
}
