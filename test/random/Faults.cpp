#include "Faults.h"

#include "compiler/passes/Linearity.h"

#include "id/IdDialect.h"
#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace mlir;
using namespace idc;
using namespace idc::random;
using conversion::LoweredKernel;
using digits::Permutation;
using digits::Polynomial;

//===--- digit flow: permutations -------------------------------------------------------------------------------===//

static std::vector<int> shapeOf(mlir::Type type) {
  ArrayRef<int32_t> radices = id::radicesOf(type);
  return {radices.begin(), radices.end()};
}

/// The map, or another that gives the same shape; false when there is none.
static bool replaceMap(id::PermuteOp op, const Permutation &map) {
  if (map == op.getMap().getPermutation() ||
      map.apply(shapeOf(op.getInput().getType())) != shapeOf(op.getResult().getType()))
    return false;
  op.setMapAttr(id::PermAttr::get(op.getContext(), map));
  return true;
}

static int invertPermutations(ModuleOp module) {
  int places = 0;
  module.walk([&](id::PermuteOp op) { places += replaceMap(op, op.getMap().getPermutation().inverse()); });
  return places;
}

static Permutation withoutComplements(const Permutation &map) {
  std::vector<int> sources;
  for (int place = 1; place <= map.size(); ++place)
    sources.push_back(map.source(place));
  return Permutation::fromSources(sources);
}

static int loseComplements(ModuleOp module) {
  int places = 0;
  module.walk([&](id::PermuteOp op) { places += replaceMap(op, withoutComplements(op.getMap().getPermutation())); });
  return places;
}

/// A node behind which a permutation stands keeps the number that its digit has after the permutation.
static int keepNodeDigits(ModuleOp module) {
  int places = 0;
  module.walk([&](id::PermuteOp permute) {
    auto node = permute.getInput().getDefiningOp<id::NodeOp>();
    if (!node || !node.preservesDigits())
      return;
    std::vector<int> radices = shapeOf(permute.getInput().getType());
    SmallVector<int64_t> digits;
    bool sameRadices = true;
    for (int64_t digit : node.getDigits()) {
      digits.push_back(permute.getMap().getPermutation().destination(static_cast<int>(digit)));
      sameRadices &= radices[digits.back() - 1] == radices[digit - 1];
    }
    if (!sameRadices || ArrayRef<int64_t>(digits) == node.getDigits())
      return;
    node.setDigits(digits);
    ++places;
  });
  return places;
}

/// Inputs that came through another permutation than the first are taken as they are.
static int dropEdgePermutations(ModuleOp module) {
  int places = 0;
  module.walk([&](Operation *op) {
    if (!isa<id::PointwiseOp, id::NodeOp>(op) || op->getNumOperands() < 2)
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      auto permute = operand.get().getDefiningOp<id::PermuteOp>();
      if (permute && permute.getInput().getType() == operand.get().getType()) {
        operand.set(permute.getInput());
        ++places;
      }
    }
  });
  return places;
}

/// A body's digits are 0.
static int loseDigits(Region &body) {
  int places = 0;
  body.walk([&](id::DigitOp digit) {
    OpBuilder builder(digit);
    digit.replaceAllUsesWith(
        arith::ConstantOp::create(builder, digit.getLoc(), builder.getI64IntegerAttr(0)).getResult());
    ++places;
  });
  return places;
}

/// Element k of a gather comes from where element 0 does.
static int gatherFirst(ModuleOp module) {
  int places = 0;
  module.walk([&](id::GatherOp gather) { places += loseDigits(gather.getBody()); });
  return places;
}

/// The same of exchanges from computed places, in kernels whose blocks hold no digits.
static int fetchFirst(ModuleOp module) {
  int places = 0;
  module.walk([&](id::ExchangeOp exchange) {
    if (exchange.isComputed() && exchange.getInput().getType().getMapping()[digits::Field::Block].empty())
      places += loseDigits(exchange.getPlaces());
  });
  return places;
}

/// Tables of bodies begin with their second value.
static int shiftLookups(ModuleOp module) {
  int places = 0;
  module.walk([&](id::LookupOp lookup) {
    SmallVector<Attribute> values(lookup.getValues().getValue());
    std::rotate(values.begin(), values.begin() + 1, values.end());
    const auto shifted = ArrayAttr::get(module.getContext(), values);
    places += shifted != lookup.getValues();
    lookup.setValuesAttr(shifted);
  });
  return places;
}

/// Elements stay where a scatter would send them elsewhere.
static int dropScatters(ModuleOp module) {
  int places = 0;
  SmallVector<id::ScatterOp> scatters;
  module.walk([&](id::ScatterOp op) { scatters.push_back(op); });
  for (id::ScatterOp op : scatters)
    if (op.getType() == op.getInput().getType()) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
      ++places;
    }
  return places;
}

//===--- digit flow: twiddles -----------------------------------------------------------------------------------===//

/// Every twiddle's exponent becomes change(exponent).
template <class Change> static int changeExponents(ModuleOp module, Change change) {
  int places = 0;
  module.walk([&](id::TwiddleOp op) {
    Polynomial before = op.getExponent().getPolynomial(), after = change(before).reduced(op.getRoot());
    if (after == before)
      return;
    op.setExponentAttr(id::PolyAttr::get(op.getContext(), after));
    ++places;
  });
  return places;
}

static int dropMonomials(ModuleOp module) {
  return changeExponents(module, [](const Polynomial &exponent) {
    if (exponent.monomials().size() < 2)
      return exponent;
    const auto &[monomial, coefficient] = *exponent.monomials().rbegin();
    return exponent - Polynomial::term(coefficient, monomial);
  });
}

static int raiseCoefficients(ModuleOp module) {
  return changeExponents(module, [](const Polynomial &exponent) {
    return exponent.isZero() ? exponent : exponent + Polynomial::term(1, exponent.monomials().begin()->first);
  });
}

static int conjugateTwiddles(ModuleOp module) {
  return changeExponents(module, [](const Polynomial &exponent) { return exponent * -1; });
}

/// `first` and the only user of its result, one value each, in the other order.
static void swapSteps(Operation *first, Operation *second) {
  Value input = first->getOperand(0), middle = first->getResult(0), output = second->getResult(0);
  output.replaceAllUsesWith(middle);
  second->setOperand(0, input);
  first->setOperand(0, output);
  first->moveAfter(second);
}

static bool isAlone(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 && op->getResult(0).hasOneUse() &&
         op->getOperand(0).getType() == op->getResult(0).getType();
}

static int moveTwiddlesPastNodes(ModuleOp module) {
  int places = 0;
  SmallVector<id::TwiddleOp> twiddles;
  module.walk([&](id::TwiddleOp op) { twiddles.push_back(op); });
  for (id::TwiddleOp twiddle : twiddles) {
    if (!isAlone(twiddle))
      continue;
    auto node = dyn_cast<id::NodeOp>(*twiddle->user_begin());
    if (!node || node->getNumOperands() != 1 || node->getNumResults() != 1 ||
        node->getOperand(0).getType() != node->getResult(0).getType())
      continue;
    Polynomial exponent = twiddle.getExponent().getPolynomial();
    if (llvm::none_of(node.getDigits(), [&](int64_t digit) { return exponent.contains(static_cast<int>(digit)); }))
      continue;
    swapSteps(twiddle, node);
    ++places;
  }
  return places;
}

//===--- digit flow: nodes and bodies ---------------------------------------------------------------------------===//

static int swapNodeDigits(ModuleOp module) {
  int places = 0;
  module.walk([&](id::NodeOp op) {
    SmallVector<int64_t> digits(op.getDigits());
    if (digits.size() < 2)
      return;
    mlir::Type full;
    for (Value value : llvm::concat<Value>(op.getOperands(), op.getResults()))
      if (static_cast<int>(id::radicesOf(value.getType()).size()) == op.getNumDigits())
        full = value.getType();
    if (id::radicesOf(full)[digits[0] - 1] != id::radicesOf(full)[digits[1] - 1])
      return;
    std::swap(digits[0], digits[1]);
    op.setDigits(digits);
    ++places;
  });
  return places;
}

static void swapUses(Value a, Value b) {
  SmallVector<OpOperand *> usesOfA;
  for (OpOperand &use : a.getUses())
    usesOfA.push_back(&use);
  b.replaceAllUsesWith(a);
  for (OpOperand *use : usesOfA)
    use->set(b);
}

/// The first and the last element of a node's first array.
static int reverseBodyArguments(ModuleOp module) {
  int places = 0;
  module.walk([&](id::NodeOp op) {
    if (static_cast<int>(id::radicesOf(op.getOperand(0).getType()).size()) != op.getNumDigits())
      return;
    size_t leaves = id::leafTypes(id::elementOf(op.getOperand(0).getType())).size();
    Block &body = op.getBody().front();
    for (size_t leaf = 0; leaf < leaves; ++leaf)
      swapUses(body.getArgument(leaf), body.getArgument((op.getArity() - 1) * leaves + leaf));
    ++places;
  });
  return places;
}

static int swapResults(ModuleOp module) {
  int places = 0;
  module.walk([&](Operation *op) {
    if (!isa<id::PointwiseOp, id::NodeOp>(op) || op->getNumResults() != 2 ||
        op->getResult(0).getType() != op->getResult(1).getType())
      return;
    swapUses(op->getResult(0), op->getResult(1));
    ++places;
  });
  return places;
}

static int swapReturned(ModuleOp module) {
  int places = 0;
  module.walk([&](func::ReturnOp op) {
    if (op.getNumOperands() < 2 || op.getOperand(0) == op.getOperand(1) ||
        op.getOperand(0).getType() != op.getOperand(1).getType())
      return;
    Value first = op.getOperand(0);
    op.setOperand(0, op.getOperand(1));
    op.setOperand(1, first);
    ++places;
  });
  return places;
}

static int swapJoined(ModuleOp module) {
  int places = 0;
  module.walk([&](Operation *op) {
    if (!isa<id::PointwiseOp, id::NodeOp>(op) || op->getNumOperands() < 2 || op->getOperand(0) == op->getOperand(1) ||
        op->getOperand(0).getType() != op->getOperand(1).getType())
      return;
    Value first = op->getOperand(0);
    op->setOperand(0, op->getOperand(1));
    op->setOperand(1, first);
    ++places;
  });
  return places;
}

/// Two nodes on different digits, one after the other, where `apply` says so.
static int commuteNodes(ModuleOp module, llvm::function_ref<bool(id::NodeOp, id::NodeOp)> apply) {
  int places = 0;
  SmallVector<id::NodeOp> nodes;
  module.walk([&](id::NodeOp op) { nodes.push_back(op); });
  llvm::DenseSet<Operation *> moved;
  for (id::NodeOp first : nodes) {
    if (!isAlone(first) || moved.contains(first))
      continue;
    auto second = dyn_cast<id::NodeOp>(*first->user_begin());
    if (!second || moved.contains(second) || second->getNumOperands() != 1 || second->getNumResults() != 1 ||
        second->getOperand(0).getType() != second->getResult(0).getType())
      continue;
    if (llvm::any_of(first.getDigits(), [&](int64_t d) { return llvm::is_contained(second.getDigits(), d); }) ||
        !apply(first, second))
      continue;
    swapSteps(first, second);
    moved.insert(first);
    moved.insert(second);
    ++places;
  }
  return places;
}

static int commuteAllNodes(ModuleOp module) {
  return commuteNodes(module, [](id::NodeOp, id::NodeOp) { return true; });
}

/// As if linear nodes mixed no fields.
static int commuteLinearNodesOnRecords(ModuleOp module) {
  return commuteNodes(module, [](id::NodeOp first, id::NodeOp second) {
    return isa<id::RecordType>(id::elementOf(first.getInputs()[0].getType())) && passes::isLinear(first.getBody()) &&
           passes::isLinear(second.getBody());
  });
}

static int shiftBodyDigits(ModuleOp module) {
  int places = 0;
  module.walk([&](id::DigitOp op) {
    int64_t digits = 0;
    for (Value operand : op->getParentOp()->getOperands())
      digits = std::max<int64_t>(digits, id::radicesOf(operand.getType()).size());
    if (auto node = dyn_cast<id::NodeOp>(op->getParentOp()))
      if (digits = node.getNumDigits(); llvm::is_contained(node.getDigits(), op.getDigit() % digits + 1))
        return; // would have no meaning in this body
    if (digits < 2)
      return;
    op.setDigit(op.getDigit() % digits + 1);
    ++places;
  });
  return places;
}

/// A choice between the two values that its condition compares.
static int swapMinimumAndMaximum(ModuleOp module) {
  int places = 0;
  module.walk([&](arith::SelectOp op) {
    Operation *comparison = op.getCondition().getDefiningOp();
    if (!isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(comparison))
      return;
    Value a = comparison->getOperand(0), b = comparison->getOperand(1), first = op.getTrueValue();
    if (a == b || !((first == a && op.getFalseValue() == b) || (first == b && op.getFalseValue() == a)))
      return;
    op.setOperand(1, op.getFalseValue());
    op.setOperand(2, first);
    ++places;
  });
  return places;
}

static int compareUnsigned(ModuleOp module) {
  int places = 0;
  module.walk([&](arith::CmpIOp op) {
    arith::CmpIPredicate other = op.getPredicate();
    switch (op.getPredicate()) {
    case arith::CmpIPredicate::slt:
      other = arith::CmpIPredicate::ult;
      break;
    case arith::CmpIPredicate::sle:
      other = arith::CmpIPredicate::ule;
      break;
    case arith::CmpIPredicate::sgt:
      other = arith::CmpIPredicate::ugt;
      break;
    case arith::CmpIPredicate::sge:
      other = arith::CmpIPredicate::uge;
      break;
    default:
      return;
    }
    op.setPredicate(other);
    ++places;
  });
  return places;
}

template <class From, class To> static int replaceOps(ModuleOp module) {
  SmallVector<From> ops;
  module.walk([&](From op) { ops.push_back(op); });
  for (From op : ops) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(To::create(builder, op.getLoc(), op->getOperand(0), op->getOperand(1)).getResult());
    op.erase();
  }
  return static_cast<int>(ops.size());
}

static int dropConjugations(ModuleOp module) {
  int places = 0;
  module.walk([&](complex::ConjOp op) {
    op.replaceAllUsesWith(op.getComplex());
    ++places;
  });
  return places;
}

//===--- stages -------------------------------------------------------------------------------------------------===//

template <class Access> static bool replaceAccess(Access op, mlir::Type from, mlir::Type to, const Permutation &map) {
  if (map == op.getMap().getPermutation() || map.apply(shapeOf(from)) != shapeOf(to))
    return false;
  op.setMapAttr(id::PermAttr::get(op.getContext(), map));
  return true;
}

static int invertStores(ModuleOp module) {
  int places = 0;
  module.walk([&](id::StoreOp op) {
    places +=
        replaceAccess(op, op.getTile().getType(), op.getBuffer().getType(), op.getMap().getPermutation().inverse());
  });
  return places;
}

static int invertLoads(ModuleOp module) {
  int places = 0;
  module.walk([&](id::LoadOp op) {
    places +=
        replaceAccess(op, op.getBuffer().getType(), op.getResult().getType(), op.getMap().getPermutation().inverse());
  });
  return places;
}

static int loseComplementsOfLoads(ModuleOp module) {
  int places = 0;
  module.walk([&](id::LoadOp op) {
    places += replaceAccess(op, op.getBuffer().getType(), op.getResult().getType(),
                            withoutComplements(op.getMap().getPermutation()));
  });
  return places;
}

/// Two digits of a tile land in the same words.
static int repeatLayoutColumns(ModuleOp module) {
  int places = 0;
  module.walk([&](id::ExchangeOp op) {
    if (!op.getLayout())
      return;
    id::LayoutAttr layout = *op.getLayout();
    SmallVector<int64_t> columns(layout.getColumns());
    if (columns.size() < 4)
      return;
    columns[3] = columns[1];
    op.setLayoutAttr(id::LayoutAttr::get(op.getContext(), layout.getPadded(), layout.getWords(), columns));
    ++places;
  });
  return places;
}

//===--- kernels ------------------------------------------------------------------------------------------------===//

static Value constantLike(Value value, int64_t number) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return arith::ConstantOp::create(builder, value.getLoc(), builder.getIntegerAttr(value.getType(), number));
}

static std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// Every other barrier: those between writes and reads (parity 0), those before the memory is written again.
template <int parity> static int dropBarriers(ModuleOp module) {
  SmallVector<Operation *> barriers;
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    int number = 0;
    kernel.walk([&](Operation *op) {
      if (isa<machine::BarrierOp, machine::WarpBarrierOp>(op) && number++ % 2 == parity)
        barriers.push_back(op);
    });
  });
  for (Operation *barrier : barriers)
    barrier->erase();
  return static_cast<int>(barriers.size());
}

static int shuffleFromOtherLanes(ModuleOp module) {
  int places = 0;
  module.walk([&](machine::ShuffleOp op) {
    OpBuilder builder(op);
    Value one = arith::ConstantOp::create(builder, op.getLoc(), builder.getI32IntegerAttr(1));
    op.getLaneMutable().assign(arith::XOrIOp::create(builder, op.getLoc(), op.getLane(), one).getResult());
    ++places;
  });
  return places;
}

/// Comparisons with the batch, a kernel's last parameter: at most instead of less.
static int admitOneProblemMore(ModuleOp module) {
  int places = 0;
  module.walk([&](arith::CmpIOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getRhs());
    if (op.getPredicate() != arith::CmpIPredicate::slt || !argument ||
        argument.getArgNumber() + 1 != argument.getOwner()->getNumArguments())
      return;
    op.setPredicate(arith::CmpIPredicate::sle);
    ++places;
  });
  return places;
}

/// A product of part of a block number and a constant: a digit's value times its stride.
static int changeStrides(ModuleOp module) {
  int places = 0;
  module.walk([&](arith::MulIOp op) {
    std::optional<int64_t> stride = constantOf(op.getRhs());
    Value digit = op.getLhs();
    if (auto wide = digit.getDefiningOp<arith::ExtUIOp>())
      digit = wide.getIn();
    if (!stride || *stride == 0 || !digit.getDefiningOp<arith::RemUIOp>())
      return;
    op.setOperand(1, constantLike(op.getRhs(), *stride * 2));
    ++places;
  });
  return places;
}

/// A product of a quotient of the block number and a constant: the problem's number times its elements.
static int changeProblemSizes(ModuleOp module) {
  int places = 0;
  module.walk([&](arith::MulIOp op) {
    std::optional<int64_t> elements = constantOf(op.getRhs());
    if (!elements || *elements < 2 || !op.getLhs().getDefiningOp<arith::DivUIOp>())
      return;
    op.setOperand(1, constantLike(op.getRhs(), *elements / 2));
    ++places;
  });
  return places;
}

/// select(x < y, x - y + P, x - y): without the correction.
static int dropBorrows(ModuleOp module) {
  int places = 0;
  module.walk([&](arith::SelectOp op) {
    auto difference = op.getFalseValue().getDefiningOp<arith::SubIOp>();
    auto raised = op.getTrueValue().getDefiningOp<arith::AddIOp>();
    if (!difference || !raised || raised.getLhs() != difference.getResult())
      return;
    op.replaceAllUsesWith(difference.getResult());
    ++places;
  });
  return places;
}

/// The values of the tables of floating-point roots, changed all together.
template <class Change> static int changeTables(ModuleOp module, Change change) {
  int places = 0;
  module.walk([&](LLVM::GlobalOp table) {
    auto values = dyn_cast_or_null<DenseFPElementsAttr>(table.getValueAttr());
    if (!values)
      return;
    SmallVector<APFloat> entries(values.getValues<APFloat>());
    if (!change(entries))
      return;
    table.setValueAttr(DenseElementsAttr::get(values.getType(), entries));
    ++places;
  });
  return places;
}

static int shiftTables(ModuleOp module) {
  return changeTables(module, [](SmallVector<APFloat> &entries) {
    std::rotate(entries.begin(), entries.begin() + 2, entries.end()); // real and imaginary part
    return entries.size() > 2;
  });
}

static int truncateTables(ModuleOp module) {
  return changeTables(module, [](SmallVector<APFloat> &entries) {
    bool changed = false;
    for (APFloat &entry : entries)
      if (&entry.getSemantics() == &APFloat::IEEEsingle()) {
        APInt bits = entry.bitcastToAPInt();
        changed |= bits.countr_zero() < 10;
        bits.clearLowBits(10);
        entry = APFloat(APFloat::IEEEsingle(), bits);
      }
    return changed;
  });
}

static int negateImaginaryParts(ModuleOp module) {
  return changeTables(module, [](SmallVector<APFloat> &entries) {
    for (size_t i = 1; i < entries.size(); i += 2)
      entries[i].changeSign();
    return true;
  });
}

//===--- launches -----------------------------------------------------------------------------------------------===//

static int overlapWorkspaces(std::vector<LoweredKernel> &kernels) {
  int places = 0;
  for (LoweredKernel &kernel : kernels)
    for (conversion::Buffer &buffer : kernel.buffers)
      if (buffer.kind == conversion::Buffer::Kind::Workspace && buffer.offsetPerProblem) {
        buffer.offsetPerProblem = 0;
        ++places;
      }
  return places;
}

static int shrinkSharedMemory(std::vector<LoweredKernel> &kernels) {
  int places = 0;
  for (LoweredKernel &kernel : kernels)
    if (kernel.sharedBytes) {
      kernel.sharedBytes -= 4;
      ++places;
    }
  return places;
}

static int forgetBlocks(std::vector<LoweredKernel> &kernels) {
  int places = 0;
  for (LoweredKernel &kernel : kernels)
    if (kernel.blocksPerGroup > 1) {
      --kernel.blocksPerGroup;
      ++places;
    }
  return places;
}

static int swapBuffers(std::vector<LoweredKernel> &kernels) {
  int places = 0;
  for (LoweredKernel &kernel : kernels)
    if (kernel.buffers.size() > 2 && kernel.buffers[0].bytesPerProblem == kernel.buffers[1].bytesPerProblem) {
      std::swap(kernel.buffers[0], kernel.buffers[1]);
      ++places;
    }
  return places;
}

//===--- all ----------------------------------------------------------------------------------------------------===//

const std::vector<Fault> &idc::random::allFaults() {
  auto flow = [](const char *name, int (*change)(ModuleOp)) { return Fault{name, change, nullptr, nullptr, nullptr}; };
  auto stages = [](const char *name, int (*change)(ModuleOp)) {
    return Fault{name, nullptr, change, nullptr, nullptr};
  };
  auto kernels = [](const char *name, int (*change)(ModuleOp)) {
    return Fault{name, nullptr, nullptr, change, nullptr};
  };
  auto launches = [](const char *name, int (*change)(std::vector<LoweredKernel> &)) {
    return Fault{name, nullptr, nullptr, nullptr, change};
  };
  static const std::vector<Fault> faults = {
      flow("permutation inverted", invertPermutations),
      flow("complement lost", loseComplements),
      flow("node keeps its digit when a permutation moves behind it", keepNodeDigits),
      flow("permutation on the edge of a join lost", dropEdgePermutations),
      flow("gather from the place of one element", gatherFirst),
      flow("table of a body shifted by one value", shiftLookups),
      flow("scatter dropped", dropScatters),
      flow("monomial of a twiddle dropped", dropMonomials),
      flow("coefficient of a twiddle off by one", raiseCoefficients),
      flow("twiddle conjugated", conjugateTwiddles),
      flow("twiddle moved past a node on its digit", moveTwiddlesPastNodes),
      flow("digits of a node swapped", swapNodeDigits),
      flow("arguments of a body reversed", reverseBodyArguments),
      flow("results of a step swapped", swapResults),
      flow("results of the program swapped", swapReturned),
      flow("inputs of a join swapped", swapJoined),
      flow("nodes commuted that are not linear", commuteAllNodes),
      flow("linear nodes commuted that mix the fields of records", commuteLinearNodesOnRecords),
      flow("digit of a body renumbered", shiftBodyDigits),
      flow("minimum and maximum swapped", swapMinimumAndMaximum),
      flow("signed integers compared as unsigned", compareUnsigned),
      flow("signed integers divided as unsigned", replaceOps<arith::DivSIOp, arith::DivUIOp>),
      flow("signed integers shifted as unsigned", replaceOps<arith::ShRSIOp, arith::ShRUIOp>),
      flow("conjugation lost", dropConjugations),
      stages("index map of a store inverted", invertStores),
      stages("index map of a load inverted", invertLoads),
      stages("exchange from the place of one element", fetchFirst),
      stages("complement of a load lost", loseComplementsOfLoads),
      stages("digits of a shared layout in the same words", repeatLayoutColumns),
      kernels("barrier between writes and reads dropped", dropBarriers<0>),
      kernels("barrier before the next writes dropped", dropBarriers<1>),
      kernels("shuffle from another lane", shuffleFromOtherLanes),
      kernels("one problem more than the batch", admitOneProblemMore),
      kernels("wrong stride of a digit", changeStrides),
      kernels("problem's number times a wrong size", changeProblemSizes),
      kernels("difference in a prime field not corrected", dropBorrows),
      kernels("tables shifted by one entry", shiftTables),
      kernels("tables of f32 with 13 bits", truncateTables),
      kernels("imaginary parts of tables negated", negateImaginaryParts),
      launches("live values share the workspace", overlapWorkspaces),
      launches("too little shared memory", shrinkSharedMemory),
      launches("a block too few", forgetBlocks),
      launches("input buffers of a kernel swapped", swapBuffers),
  };
  return faults;
}

Changes idc::random::plant(const Fault &fault, int &places) {
  Changes changes;
  if (fault.flow)
    changes.flow = [&](ModuleOp module) { places += fault.flow(module); };
  if (fault.stages)
    changes.stages = [&](ModuleOp module) { places += fault.stages(module); };
  if (fault.kernels)
    changes.kernels = [&](ModuleOp module) { places += fault.kernels(module); };
  if (fault.launches)
    changes.launches = [&](std::vector<LoweredKernel> &kernels) { places += fault.launches(kernels); };
  return changes;
}
