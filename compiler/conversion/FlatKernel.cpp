// Input: an id.kernel of kind flat: loads, steps, stores; every tile holds the digits of nodes in registers and all
// others in the block field. Output: scalar code for one block number, on either machine.
//
// A flat kernel takes any radices, elements of any leaves, values with fewer digits than others, and exponents of any
// form: it is the general way, at one trip to memory per step. Block digits that lie next to each other in a buffer,
// too, are addressed as one, so that most addresses need no division.
#include "compiler/conversion/FlatKernel.h"

#include "compiler/conversion/KernelEmitter.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/RootLookup.h"
#include "compiler/conversion/ThreadDigits.h"
#include "compiler/conversion/TileBlocks.h"
#include "compiler/conversion/ViewLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;
using digits::Permutation;
using digits::Polynomial;

namespace {

class FlatEmitter : public KernelEmitter {
public:
  FlatEmitter(OpBuilder &builder, Location loc, TwiddleTables &tables, const DenseMap<Value, BufferMemory> &buffers,
              const Parameters &scalars, Value problem)
      : KernelEmitter(builder, loc, tables, [](Type type) { return type; }), buffers(buffers), problem(problem),
        roots(builder, loc, codelet, tables), threadDigits(builder, loc) {
    parameters = scalars;
  }

  /// The whole body for one block number.
  LogicalResult run(id::KernelOp kernel, Value number) {
    threadDigits.count(Field::Block, number, widestExtent(kernel, Field::Block));
    return emitBody(kernel);
  }

  /// Section by section for a thread of a block.
  LogicalResult run(id::KernelOp kernel, const FlatBlock &of, const FlatSections &cut) {
    block = &of;
    sections = &cut;
    threadDigits.count(Field::Lane, of.thread, cut.threads);
    if (of.rank) {
      threadDigits.count(Field::Rank, of.rank, widestExtent(kernel, Field::Rank));
      // Waited for before the first access to another block: by then all have started.
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Relaxed);
      arrived = true;
    }
    threadDigits.count(Field::Block, of.block, widestExtent(kernel, Field::Block));
    awaits = of.awaits;
    // What kernels before have made is fetched when the first section has its own.
    const bool dependent = awaits;
    if (failed(loadAhead([&](Operation &load) { return !dependent || !mustAwait(load); })))
      return failure();
    for (const FlatSection &section : cut.sections) {
      if (failed(emitSection(section)))
        return failure();
      if (dependent && &section == &cut.sections.front() && failed(loadAhead(mustAwait)))
        return failure();
    }
    awaitPrevious();
    if (arrived) // and nothing was sent to other blocks
      machine::ClusterWaitOp::create(b, loc);
    return success();
  }

  /// Words of 4 bytes that an exchange posts.
  static int64_t cellsOf(id::ExchangeOp op) {
    int64_t cells = 0;
    for (Type type : numberTypes(op.getInput().getType().getElement()))
      cells += static_cast<int64_t>(cellsOf(type));
    return cells * op.getLayoutAttr().getLayout().words;
  }

  /// Round by round. What the first half loads at its start is loaded a round ahead.
  LogicalResult run(id::KernelOp kernel, Value batch, CooperativeRounds &of, const FlatSections &cut) {
    rounds = &of;
    sections = &cut;
    FlatBlock own;
    own.batch = batch;
    block = &own;
    LogicalResult result = success();
    auto enter = [&](const CooperativeRounds::Item &item) {
      current = item;
      threadDigits.clear();
      problems.clear();
      const int64_t blocks = widestExtent(kernel, Field::Block);
      own.thread = of.thread();
      own.rank = of.rank(item);
      Value number = arith::ExtUIOp::create(b, loc, b.getI64Type(), item.number);
      own.block = arith::RemUIOp::create(b, loc, number, constant(blocks));
      own.first = problem = arith::DivUIOp::create(b, loc, number, constant(blocks));
      threadDigits.count(Field::Lane, own.thread, cut.threads);
      threadDigits.count(Field::Rank, own.rank, kernel.getLaunch().getTeam());
      threadDigits.count(Field::Block, own.block, blocks);
      threadDigits.count(Field::Turn, item.turn, widestExtent(kernel, Field::Turn));
    };
    SmallVector<id::LoadOp> ahead;
    for (const FlatSection &section : ArrayRef(cut.sections).take_front(cut.firstHalf))
      for (Operation &op : llvm::make_range(section.first, section.end))
        if (auto load = dyn_cast<id::LoadOp>(op); load && section.threads == cut.threads)
          ahead.push_back(load);
    auto loadItem = [&](const CooperativeRounds::Item &item) {
      enter(item);
      SmallVector<Value> values;
      for (id::LoadOp load : ahead) {
        FailureOr<Tile> tile = emitLoadHere(load);
        if (failed(tile)) {
          result = failure();
          continue;
        }
        for (const auto &leaves : tile->registers)
          llvm::append_range(values, numbersOf(leaves, tile->element));
      }
      return values;
    };
    auto emitHalf = [&](ArrayRef<FlatSection> half) {
      for (const FlatSection &section : half)
        result = failed(result) ? result : emitSection(section);
    };
    SmallVector<Value> first = loadItem(of.first());
    if (failed(result))
      return failure();
    clearKept();
    of.begin(first);
    of.firstHalf([&](const CooperativeRounds::Item &item) -> SmallVector<Value> {
      enter(item);
      ArrayRef<Value> values = of.carried();
      for (id::LoadOp load : ahead) {
        Tile tile = emptyTile(load.getResult().getType());
        const size_t perElement = numberTypes(tile.element).size();
        for (auto &leaves : tile.registers) {
          leaves = leavesOf(values.take_front(perElement), tile.element);
          values = values.drop_front(perElement);
        }
        loaded[load] = std::move(tile);
      }
      emitHalf(ArrayRef(cut.sections).take_front(cut.firstHalf));
      if (failed(result))
        return SmallVector<Value>(of.carried());
      return of.next(ValueRange(of.carried()).getTypes(), loadItem);
    });
    of.secondHalf([&](const CooperativeRounds::Item &item) {
      enter(item);
      emitHalf(ArrayRef(cut.sections).drop_front(cut.firstHalf));
    });
    of.end();
    return result;
  }

protected:
  FailureOr<Tile> emitLoad(id::LoadOp op) override {
    auto ahead = loaded.find(op);
    return ahead != loaded.end() ? ahead->second : emitLoadHere(op);
  }

  FailureOr<Tile> emitLoadHere(id::LoadOp op) {
    Tile tile = emptyTile(op.getResult().getType());
    const Permutation map = op.getMap().getPermutation();
    ViewLayout layout = layoutOf(op.getBuffer(), buffers);
    if (!layout.inRow)
      return notInRow(op);
    for (int digit = static_cast<int>(layout.view.radices.size()) + 1; digit <= map.size(); ++digit)
      layout.view.repeat(tile.radices[map.destination(digit) - 1]);
    layout.view.move(map);
    std::vector<Slot> slots;
    if (failed(slotsOf(op, layout, tile, slots)))
      return failure();
    FailureOr<std::vector<SmallVector<Value>>> fills = fillsOf(layout, tile);
    if (failed(fills))
      return failure();
    const int64_t together = problemsTogether(layout, tile);
    if (together == 1) {
      loadAll(slots, layout, tile, 1, *fills);
    } else {
      // Vectors leave the branches, so that a load stays one.
      std::vector<Slot> wide = slots;
      SmallVector<std::pair<size_t, size_t>> runs = runsOf(wide, layout, tile, together);
      SmallVector<Type> types;
      for (auto [first, count] : runs)
        types.push_back(accessType(wide[first].type, static_cast<int64_t>(count)));
      Value full = problemOf(tile.mapping, map.size(), slots.back().problem).inBatch;
      auto branch = scf::IfOp::create(b, loc, types, full, /*withElseRegion=*/true);
      for (Block *arm : {branch.thenBlock(), branch.elseBlock()})
        inside(arm, [&] {
          std::vector<Slot> here = slots;
          loadAll(here, layout, tile, arm == branch.thenBlock() ? together : 1, *fills);
          SmallVector<Value> numbers = valuesOf(here), loaded;
          for (auto [run, type] : llvm::zip(runs, types)) {
            SmallVector<Value> own;
            for (const Slot &slot : ArrayRef<Slot>(wide).slice(run.first, run.second))
              own.push_back(numbers[slot.number]);
            loaded.push_back(own.size() == 1 ? own[0] : pack(own, type));
          }
          scf::YieldOp::create(b, loc, loaded);
        });
      for (auto [run, value] : llvm::zip(runs, branch.getResults()))
        for (size_t i = 0; i < run.second; ++i)
          wide[run.first + i].value =
              run.second == 1 ? value : LLVM::ExtractElementOp::create(b, loc, value, position(i)).getResult();
      slots = std::move(wide);
    }
    SmallVector<Value> values = valuesOf(slots);
    size_t perElement = values.size() / tile.registers.size();
    for (auto [r, leaves] : llvm::enumerate(tile.registers))
      leaves = leavesOf(ArrayRef<Value>(values).slice(r * perElement, perElement), tile.element);
    return tile;
  }

  /// What is loaded again in a later visit is not overwritten by then.
  LogicalResult emitStore(id::StoreOp op, const Tile &tile) override {
    const bool again = rounds && sections->sectionOf.lookup(op) < sections->firstHalf;
    Value isLast = again ? rounds->isFinished(current) : Value();
    if (!isLast)
      return emitStoreHere(op, tile);
    LogicalResult result = success();
    where(isLast, [&] { result = emitStoreHere(op, tile); });
    return result;
  }

  LogicalResult emitStoreHere(id::StoreOp op, const Tile &tile) {
    ViewLayout layout = layoutOf(op.getBuffer(), buffers);
    if (!layout.inRow)
      return notInRow(op);
    layout.view.move(op.getMap().getPermutation().inverse()); // place p of the buffer holds digit source(p) of the tile
    std::vector<Slot> slots;
    if (failed(slotsOf(op, layout, tile, slots)))
      return failure();
    SmallVector<Value> values;
    for (const auto &leaves : tile.registers)
      llvm::append_range(values, numbersOf(leaves, tile.element));
    for (Slot &slot : slots)
      slot.value = values[slot.number];
    const int n = static_cast<int>(tile.radices.size());
    auto storeAll = [&](std::vector<Slot> slots, int64_t together, bool guarded) {
      SmallVector<std::pair<size_t, size_t>> runs = runsOf(slots, layout, tile, together);
      for (size_t first = 0, end; first < runs.size(); first = end) {
        const int64_t inRegisters = slots[runs[first].first].problem;
        for (end = first; end < runs.size() && slots[runs[end].first].problem == inRegisters;)
          ++end;
        SmallVector<Place, 1> places = elementPlaces(layout, tile, inRegisters);
        auto storeProblem = [&] {
          for (auto [from, count] : ArrayRef(runs).slice(first, end - first))
            storeRun(layout, tile, places[slots[from].plane], slots, from, count);
        };
        if (guarded) {
          Value stores = problemOf(tile.mapping, n, inRegisters).inBatch;
          if (Value holder = threadDigits.isFirstHolder(tile.mapping))
            stores = arith::AndIOp::create(b, loc, stores, holder);
          where(stores, storeProblem);
        } else {
          storeProblem();
        }
      }
    };
    int64_t together = problemsTogether(layout, tile);
    if (together == 1) {
      storeAll(slots, 1, block);
      return success();
    }
    Value full = problemOf(tile.mapping, n, slots.back().problem).inBatch;
    auto branch = scf::IfOp::create(b, loc, TypeRange{}, full, /*withElseRegion=*/true);
    inside(branch.thenBlock(), [&] { storeAll(slots, together, false); });
    inside(branch.elseBlock(), [&] { storeAll(slots, 1, true); });
    return success();
  }

  FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) override {
    Tile moved = tile;
    moved.mapping = op.getResult().getType().getMapping();
    moved.registers.assign(moved.mapping.extent(Field::Reg), {});
    if (op.getKind() == id::ExchangeKind::None || op.getKind() == id::ExchangeKind::Registers) {
      digits::ExchangePlan plan;
      std::string error;
      if (!digits::planExchange(tile.mapping, moved.mapping, {}, plan, error))
        return op.emitError() << error;
      for (size_t r = 0; r < moved.registers.size(); ++r)
        moved.registers[r] = tile.registers[plan.registerSource.empty() ? r : plan.registerSource[r]];
      return moved;
    }
    if (!block || !isThroughMemory(op))
      return op.emitError() << "a flat kernel of this kind has no such exchange";
    if (isPosted(op)) {
      awaitPosts(op, moved);
      return moved;
    }
    const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    const ExchangeWords words = wordsOf(op);
    Value base = sharedPointer(op, moved.mapping, words);
    for (size_t r = 0; r < moved.registers.size(); ++r) {
      SmallVector<Value> values;
      int64_t offset = registerOffset(layout, moved.mapping, r, words);
      for (Type word : words.types) {
        values.push_back(LLVM::LoadOp::create(b, loc, word, at(base, offset), static_cast<unsigned>(bytesOf(word))));
        offset += words.setBytes;
      }
      moved.registers[r] = leavesOf(numbersOfWords(values, words, tile.element), tile.element);
    }
    return moved;
  }

  FailureOr<Complex> emitRoot(Operation *op, int64_t root, const Polynomial &exponent, const Tile &place,
                              Type real) override {
    if (hasTables(root, exponent, place))
      return emitTableProduct(op, root, exponent, place, real);
    return roots.complex(root, exponentOf(root, exponent, place), real);
  }

  std::pair<Value, Value> emitTableLoad(const std::string &table, const TwiddleFactor &factor, const Tile &place,
                                        Type scalar) override {
    Value index = threadDigits.sum(place.mapping, [&](int digit) -> int64_t {
      auto found = llvm::find(factor.digits, digit);
      return found == factor.digits.end() ? 0 : factor.weight(static_cast<size_t>(found - factor.digits.begin()));
    });
    Type pair = VectorType::get({2}, scalar);
    auto bytes = static_cast<unsigned>(2 * id::elementBytes(scalar));
    Value w = LLVM::LoadOp::create(b, loc, pair, roots.entryPointer(table, index, bytes), bytes, /*isVolatile=*/false,
                                   /*isNonTemporal=*/false, /*isInvariant=*/true);
    return {LLVM::ExtractElementOp::create(b, loc, w, position(0)),
            LLVM::ExtractElementOp::create(b, loc, w, position(1))};
  }

  Value emitExponent(int64_t root, const Polynomial &exponent, const Tile &place) override {
    return hasTables(root, exponent, place) ? Value() : exponentOf(root, exponent, place);
  }

  /// Lanes are few enough for tables of all their exponents.
  bool hasTables(int64_t root, const Polynomial &exponent, const Tile &place) const {
    Polynomial looked = exponent - Polynomial::constant(exponent.constantTerm());
    return block && (looked.isZero() || !splitTwiddle(root, looked, maxTableBits, place.radices).empty());
  }

  Value exponentOf(int64_t root, const Polynomial &exponent, const Tile &place) {
    return roots.exponent(
        root, exponent,
        {[&](int digit) { return emitDigit(digit, place); },
         [&](int digit) { return place.radices.empty() ? int64_t(2) : int64_t(place.radices[digit - 1]); }});
  }

  std::optional<Leaf> emitDynamicRoot(int64_t root, Value exponent, Type type) override {
    Value reduced = roots.reduced(root, exponent);
    Leaf leaf;
    if (auto complex = dyn_cast<ComplexType>(type)) {
      leaf.kind = Leaf::Kind::Complex;
      leaf.number = roots.complex(root, reduced, complex.getElementType());
    } else {
      leaf = Leaf::of(roots.residue(root, reduced, cast<id::ModType>(type)));
    }
    return leaf;
  }

  Value emitDigit(int digit, const Tile &place) override { return threadDigits.digit(digit, place.mapping); }

  Value emitInteger(int64_t value) override { return constant(value); }

private:
  /// A thread's problem, for tiles that hold batch digits in the same way.
  struct Problem {
    Value index, inBatch;
  };

  const DenseMap<Value, BufferMemory> &buffers;
  Value problem;
  RootLookup roots;
  ThreadDigits threadDigits;        // by which tiles are addressed
  const FlatBlock *block = nullptr; // null: threads do not exchange
  CooperativeRounds *rounds = nullptr;
  CooperativeRounds::Item current; // of the rounds
  const FlatSections *sections = nullptr;
  bool arrived = false;               // at a cluster barrier that nobody has waited for
  bool awaits = false;                // has not yet waited for the kernels before
  DenseMap<Operation *, Tile> loaded; // ahead of their section
  std::map<std::string, Problem> problems; // that have been found, by where their digits are

  LogicalResult notInRow(Operation *op) const {
    return op->emitError() << "the layout of an argument or result has distances that change inside of a dimension "
                              "whose length the program changes";
  }

  Value constant(int64_t v) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v)); }

  /// The problem of this thread in a tile of `n` digits, for registers whose batch digits make up `inRegisters`.
  /// Threads beyond the batch work on one of the block's, so that all meet at the barriers.
  Problem problemOf(const digits::Mapping &mapping, int n, int64_t inRegisters) {
    if (!block)
      return {problem, {}};
    auto weightOf = [&](int digit) { return digit > n ? int64_t(1) << (digit - n - 1) : 0; };
    std::string key = std::to_string(inRegisters);
    int64_t weight = 1;
    for (const digits::Column &column : mapping.threads()) {
      if (int64_t problems = weightOf(column.digits[0]))
        key += "," + std::to_string(weight) + ":" + std::to_string(problems);
      weight *= column.radix;
    }
    Problem &found = problems[key];
    if (!found.index) {
      Value index = problem;
      if (inRegisters)
        index = arith::AddIOp::create(b, loc, index, constant(inRegisters));
      if (llvm::any_of(mapping.threads(), [&](const auto &column) { return weightOf(column.digits[0]) > 0; }))
        index = arith::AddIOp::create(b, loc, index, threadDigits.sum(mapping, weightOf));
      found.inBatch = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, block->batch);
      found.index = arith::SelectOp::create(b, loc, found.inBatch, index, block->first);
    }
    return found;
  }

  void where(Value condition, llvm::function_ref<void()> emit) {
    inside(scf::IfOp::create(b, loc, TypeRange{}, condition, false).thenBlock(), emit);
  }

  /// Emits at the start of a branch.
  void inside(Block *branch, llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch);
    ThreadDigits::Branch branchDigits(threadDigits); // what is found there is not known outside
    std::map<std::string, Problem> outside = problems;
    emit();
    problems = std::move(outside);
  }

  //===--- sections ---------------------------------------------------------------------------------------------===//

  /// What some threads load for a section of their own is on its way from the start, while it is little.
  LogicalResult loadAhead(llvm::function_ref<bool(Operation &)> isWanted) {
    constexpr int64_t maxWords = 32;
    int64_t words = 0;
    for (const FlatSection &section : sections->sections)
      for (Operation &op : llvm::make_range(section.first, section.end)) {
        auto load = dyn_cast<id::LoadOp>(op);
        if (!load || section.threads == sections->threads || !isWanted(op))
          continue;
        Tile tile = emptyTile(load.getResult().getType());
        words += static_cast<int64_t>(tile.registers.size()) * id::registerBytes(tile.element) / 4;
        if (words > maxWords)
          return success();
        if (mustAwait(*load))
          awaitPrevious();
        SmallVector<Value> values;
        const SmallVector<Type> types = numberTypesOf(tile);
        auto branch = scf::IfOp::create(b, loc, types, isBelow(section.threads), /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(branch.thenBlock());
          ThreadDigits::Branch branchDigits(threadDigits);
          std::map<std::string, Problem> outside = problems;
          FailureOr<Tile> made = emitLoadHere(load);
          if (failed(made))
            return failure();
          for (const auto &leaves : made->registers)
            llvm::append_range(values, numbersOf(leaves, tile.element));
          scf::YieldOp::create(b, loc, values);
          problems = std::move(outside);
          b.setInsertionPointToStart(branch.elseBlock());
          yieldPoison(types);
        }
        fill(tile, SmallVector<Value>(branch.getResults()));
        loaded[load] = std::move(tile);
      }
    return success();
  }

  /// True in the first threads of a tile.
  Value isBelow(int64_t threads) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, block->thread,
                                 arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(threads))));
  }

  /// True for accesses to memory that kernels of the same call write or read before: all but loads of its arguments.
  static bool mustAwait(Operation &op) {
    auto load = dyn_cast<id::LoadOp>(op);
    if (!load)
      return isa<id::StoreOp>(op);
    Value buffer = load.getBuffer();
    while (Operation *view = buffer.getDefiningOp())
      buffer = view->getOperand(0);
    auto kernel = op.getParentOfType<id::KernelOp>();
    return !isa<BlockArgument>(kernel.getInputs()[cast<BlockArgument>(buffer).getArgNumber()]);
  }

  /// Every thread waits, outside branches: a kernel ends after those before it.
  void awaitPrevious() {
    if (awaits)
      machine::AwaitPreviousOp::create(b, loc);
    awaits = false;
  }

  LogicalResult emitSection(const FlatSection &section) {
    bool full = section.threads == sections->threads;
    if (llvm::any_of(llvm::make_range(section.first, section.end),
                     [&](Operation &op) { return !loaded.contains(&op) && mustAwait(op); }))
      awaitPrevious();
    if (full) // roots of unity are looked up across the barrier
      for (Operation &op : llvm::make_range(section.first, section.end))
        if (isThroughMemory(&op))
          prefetchTwiddles(&op, emptyTile(op.getResult(0).getType()));
    meet(section.meeting());
    // That all blocks run is known from here on, where all threads come by: ahead of a branch or, better, after what
    // this section loads.
    auto awaitStart = [&] {
      if (arrived && llvm::any_of(section.writes,
                                  [](id::ExchangeOp write) { return write.getKind() == id::ExchangeKind::Cluster; })) {
        machine::ClusterWaitOp::create(b, loc);
        arrived = false;
      }
    };
    if (!full)
      awaitStart();
    LogicalResult result = success();
    auto emit = [&] {
      result = emitSteps(section.first, section.end);
      if (failed(result))
        return;
      for (id::ExchangeOp exchange : section.writes)
        settled(exchange.getInput());
      if (full)
        awaitStart();
      if (section.beforeWrites() == id::Meeting::Block)
        machine::BarrierOp::create(b, loc);
      for (id::ExchangeOp exchange : section.writes)
        emitWrites(exchange);
    };
    if (full) {
      emit();
    } else if (section.kept.empty()) {
      where(isBelow(section.threads), emit);
    } else {
      SmallVector<Type> types;
      for (Value kept : section.kept)
        llvm::append_range(types, numberTypesOf(emptyTile(kept.getType())));
      std::vector<Tile> made;
      auto branch = scf::IfOp::create(b, loc, types, isBelow(section.threads), /*withElseRegion=*/true);
      inside(branch.thenBlock(), [&] {
        emit();
        SmallVector<Value> values;
        for (Value kept : section.kept) {
          if (failed(result))
            break;
          made.push_back(settled(kept));
          for (const auto &leaves : made.back().registers)
            llvm::append_range(values, numbersOf(leaves, made.back().element));
        }
        scf::YieldOp::create(b, loc, values);
      });
      inside(branch.elseBlock(), [&] { yieldPoison(types); });
      SmallVector<Value> values(branch.getResults());
      ArrayRef<Value> rest = values;
      for (auto [kept, tile] : llvm::zip(section.kept, made)) {
        const size_t count = numberTypesOf(tile).size();
        fill(tile, rest.take_front(count));
        rest = rest.drop_front(count);
        hold(kept, std::move(tile));
      }
    }
    return result;
  }

  /// The types of the numbers of a tile, register by register.
  SmallVector<Type> numberTypesOf(const Tile &tile) {
    SmallVector<Type> types;
    for (size_t r = 0; r < tile.registers.size(); ++r)
      llvm::append_range(types, numberTypes(tile.element));
    return types;
  }
  /// Gives a tile other numbers; residues keep the bounds that they have.
  void fill(Tile &tile, ArrayRef<Value> numbers) {
    const size_t perElement = numbers.size() / tile.registers.size();
    for (auto [r, leaves] : llvm::enumerate(tile.registers)) {
      const SmallVector<Leaf> before = std::move(leaves);
      leaves = leavesOf(numbers.slice(r * perElement, perElement), tile.element);
      for (auto [leaf, old] : llvm::zip(leaves, before))
        leaf.bound = old.bound;
    }
  }
  /// What threads that are not in a branch get of it.
  void yieldPoison(ArrayRef<Type> types) {
    SmallVector<Value> values;
    for (Type type : types)
      values.push_back(LLVM::PoisonOp::create(b, loc, type));
    scf::YieldOp::create(b, loc, values);
  }

  /// The ops of a section. What a turn leaves to later ones is stored behind them.
  LogicalResult emitSteps(Block::iterator first, Block::iterator end) {
    SmallVector<Kept> kept;
    for (Block::iterator op = first; op != end; ++op)
      if (actsOnTurns(&*op)) {
        if (failed(emitOps(first, op)) || failed(emitTurn(cast<id::NodeOp>(*op), kept)))
          return failure();
        first = std::next(op);
      }
    if (failed(emitOps(first, end)))
      return failure();
    for (const Kept &value : kept)
      where(value.isComplete, [&] {
        for (auto [i, number] : llvm::enumerate(value.numbers))
          LLVM::StoreOp::create(b, loc, number, at(value.memory, static_cast<int64_t>(i) * widestNumber),
                                static_cast<unsigned>(bytesOf(number.getType())));
      });
    return success();
  }

  //===--- turns ------------------------------------------------------------------------------------------------===//

  /// What a node on turns takes as the first of two elements when the turn is one of the second.
  struct Kept {
    Value memory;
    SmallVector<Value> numbers;
    Value isComplete; // after this turn
  };

  static constexpr int64_t widestNumber = 8; // bytes; numbers that are kept lie so far apart
  Value keptOf(id::NodeOp node) { return at(sharedMemory(b, loc), numberOf(node, sharedOffsetAttr)); }

  /// What turns keep is always loaded, used when it is there.
  void clearKept() {
    where(isBelow(1), [&] {
      for (const FlatSection &section : sections->sections)
        for (Operation &op : llvm::make_range(section.first, section.end)) {
          if (!actsOnTurns(&op))
            continue;
          int64_t offset = 0;
          for (Value pair : pairsOf(cast<id::NodeOp>(op)))
            for (Type type : numberTypes(id::elementOf(pair.getType()))) {
              LLVM::StoreOp::create(b, loc, LLVM::ZeroOp::create(b, loc, type),
                                    at(keptOf(cast<id::NodeOp>(op)), offset), static_cast<unsigned>(bytesOf(type)));
              offset += widestNumber;
            }
        }
    });
  }

  /// A node on a digit of the turns (passes/TurnOrder.h): its first element is one that was kept, or the turn's own, by
  /// the digit; of its results that have the digit the turn has the one that belongs to it.
  LogicalResult emitTurn(id::NodeOp node, SmallVectorImpl<Kept> &kept) {
    auto isPair = [&](Value value) {
      return static_cast<int>(id::radicesOf(value.getType()).size()) == node.getNumDigits();
    };
    const bool expands = llvm::any_of(node.getOutputs(), isPair);
    Value whole = expands ? *llvm::find_if(node.getOutputs(), isPair) : *llvm::find_if(node.getInputs(), isPair);
    const Tile place = emptyTile(whole.getType());
    digits::Place digit;
    place.mapping.find(static_cast<int>(node.getDigits()[0]), digit);
    if (place.registers.size() != 1 || place.mapping.numThreads() != 1 || node.getArity() != 2)
      return node.emitError() << "acts on turns with more than one value of a block";
    const size_t weight = size_t(1) << digit.position;
    auto isAt = [&](size_t mask, size_t value) {
      Value digits = arith::AndIOp::create(b, loc, current.turn, position(mask));
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digits, position(value)).getResult();
    };
    const Value isSecond = isAt(weight, weight);
    auto choose = [&](ArrayRef<Value> second, ArrayRef<Value> first) {
      SmallVector<Value> chosen;
      for (auto [one, zero] : llvm::zip(second, first))
        chosen.push_back(arith::SelectOp::create(b, loc, isSecond, one, zero));
      return chosen;
    };
    auto canonical = [&](ArrayRef<Leaf> leaves, Type element) {
      Tile one;
      one.element = element;
      one.registers = {SmallVector<Leaf>(leaves)};
      makeSettled(one);
      makeCanonical(codelet, one);
      return numbersOf(one.registers[0], element);
    };
    SmallVector<Leaf> arguments;
    Value memory = pairsOf(node).empty() ? Value() : keptOf(node);
    for (Value input : node.getInputs()) {
      const Tile tile = settled(input);
      if (!isPair(input)) {
        llvm::append_range(arguments, tile.registers[0]);
        continue;
      }
      Kept own{memory, canonical(tile.registers[0], tile.element), isAt(2 * weight - 1, weight - 1)};
      SmallVector<Value> before;
      for (Value number : own.numbers) {
        Type type = number.getType();
        before.push_back(LLVM::LoadOp::create(b, loc, type, memory, static_cast<unsigned>(bytesOf(type))));
        memory = at(memory, widestNumber);
      }
      llvm::append_range(arguments, leavesOf(expands ? choose(before, own.numbers) : before, tile.element));
      llvm::append_range(arguments, leavesOf(own.numbers, tile.element));
      kept.push_back(std::move(own));
    }
    FailureOr<SmallVector<Leaf>> results = runBody(node.getBody(), arguments, place, 0);
    if (failed(results))
      return failure();
    ArrayRef<Leaf> rest = *results;
    for (Value output : node.getOutputs()) {
      Tile tile = emptyTile(output.getType());
      const size_t count = id::leafTypes(tile.element).size();
      if (isPair(output)) {
        SmallVector<Value> first = canonical(rest.take_front(count), tile.element);
        rest = rest.drop_front(count);
        tile.registers[0] = leavesOf(choose(canonical(rest.take_front(count), tile.element), first), tile.element);
      } else {
        llvm::append_range(tile.registers[0], rest.take_front(count));
      }
      rest = rest.drop_front(count);
      hold(output, std::move(tile));
    }
    return success();
  }

  /// What those who meet have stored before is there afterwards.
  void meet(id::Meeting who) {
    if (who == id::Meeting::Warp)
      machine::WarpBarrierOp::create(b, loc);
    if (who == id::Meeting::Block)
      machine::BarrierOp::create(b, loc);
    if (who == id::Meeting::Cluster) {
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
      machine::ClusterWaitOp::create(b, loc);
    }
  }

  /// This thread's part of an exchange's memory. Word w of all elements lies together, then the next word; then comes
  /// the next tile of the block.
  Value sharedPointer(id::ExchangeOp op, const Mapping &mapping, const ExchangeWords &words) {
    const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    Value offset = threadDigits.sum(
        mapping, [&](int digit) { return layout.column(digit) * words.bytes; }, /*narrow=*/true);
    offset = arith::ExtUIOp::create(b, loc, b.getI64Type(), offset);
    if (block->slot)
      offset = arith::AddIOp::create(
          b, loc, offset,
          arith::MulIOp::create(b, loc, block->slot, constant(numberOf(op->getParentOp(), sharedBytesAttr))));
    Value memory = sharedMemory(b, loc);
    if (op->hasAttr(parkedAttr)) {
      Value place = arith::MulIOp::create(b, loc, rounds->place(current),
                                          position(static_cast<size_t>(numberOf(op->getParentOp(), parkedBytesAttr))));
      offset = arith::AddIOp::create(b, loc, offset, arith::ExtUIOp::create(b, loc, b.getI64Type(), place));
    }
    return at(byteOffset(memory, offset), numberOf(op, sharedOffsetAttr));
  }

  static int64_t registerOffset(const digits::SharedLayout &layout, const Mapping &mapping, size_t r,
                                const ExchangeWords &words) {
    int64_t offset = 0;
    for (auto [column, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
      offset += value * layout.column(column.digits[0]) * words.bytes;
    return offset;
  }

  //===--- posts ------------------------------------------------------------------------------------------------===//

  /// The cells of register `r` of a tile that is posted: those of an element follow each other.
  SmallVector<Value> cellsOf(id::ExchangeOp op, const Mapping &mapping, Value base, size_t r, size_t cells) {
    const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    const int64_t elementBytes = static_cast<int64_t>(cells) * CooperativeRounds::cellBytes;
    int64_t offset = 0;
    for (auto [column, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
      offset += value * layout.column(column.digits[0]) * elementBytes;
    SmallVector<Value> found;
    for (size_t i = 0; i < cells; ++i)
      found.push_back(at(base, offset + static_cast<int64_t>(i) * CooperativeRounds::cellBytes));
    return found;
  }

  Value postPointer(id::ExchangeOp op, const Mapping &mapping, size_t cells) {
    const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    int64_t first = 0; // of the exchanges before
    for (id::ExchangeOp other : op->getParentOfType<id::KernelOp>().getBody().getOps<id::ExchangeOp>()) {
      if (other == op)
        break;
      first += isPosted(other) ? cellsOf(other) : 0;
    }
    Value offset = threadDigits.sum(mapping, [&](int digit) {
      return static_cast<int64_t>(layout.column(digit)) * static_cast<int64_t>(cells) * CooperativeRounds::cellBytes;
    });
    return at(byteOffset(rounds->posts(current), offset), first * CooperativeRounds::cellBytes);
  }

  void emitPosts(id::ExchangeOp op) {
    const Tile &tile = settled(op.getInput());
    Value base;
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      SmallVector<Value> words;
      for (Value number : numbersOf(tile.registers[r], tile.element))
        appendCells(number, words);
      if (!base)
        base = postPointer(op, tile.mapping, words.size());
      for (auto [cell, word] : llvm::zip(cellsOf(op, tile.mapping, base, r, words.size()), words))
        rounds->post(current, cell, word);
    }
  }

  void awaitPosts(id::ExchangeOp op, Tile &moved) {
    const SmallVector<Type> types = numberTypes(moved.element);
    size_t perElement = 0;
    for (Type type : types)
      perElement += cellsOf(type);
    Value base = postPointer(op, moved.mapping, perElement);
    SmallVector<Value> cells;
    for (size_t r = 0; r < moved.registers.size(); ++r)
      llvm::append_range(cells, cellsOf(op, moved.mapping, base, r, perElement));
    SmallVector<Value> words = rounds->await(current, cells);
    ArrayRef<Value> rest = words;
    for (auto &leaves : moved.registers) {
      SmallVector<Value> numbers;
      for (Type type : types) {
        numbers.push_back(fromCells(rest.take_front(cellsOf(type)), type));
        rest = rest.drop_front(cellsOf(type));
      }
      leaves = leavesOf(numbers, moved.element);
    }
  }

  static size_t cellsOf(Type number) { return bytesOf(number) > 4 ? 2 : 1; }

  Type integerOf(Type number) { return b.getIntegerType(static_cast<unsigned>(8 * bytesOf(number))); }

  /// A number as words of 32 bits.
  void appendCells(Value number, SmallVectorImpl<Value> &words) {
    Type integer = integerOf(number.getType()), i32 = b.getI32Type();
    if (number.getType() != integer)
      number = LLVM::BitcastOp::create(b, loc, integer, number);
    if (bytesOf(integer) < 4) {
      words.push_back(arith::ExtUIOp::create(b, loc, i32, number));
    } else if (bytesOf(integer) == 4) {
      words.push_back(number);
    } else {
      words.push_back(arith::TruncIOp::create(b, loc, i32, number));
      words.push_back(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, number, constant(32))));
    }
  }
  Value fromCells(ArrayRef<Value> words, Type type) {
    Type integer = integerOf(type);
    Value number = words[0];
    if (words.size() == 2) {
      Value high = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, integer, words[1]), constant(32));
      number = arith::OrIOp::create(b, loc, high, arith::ExtUIOp::create(b, loc, integer, words[0]));
    } else if (bytesOf(integer) < 4) {
      number = arith::TruncIOp::create(b, loc, integer, number);
    }
    return type == integer ? number : LLVM::BitcastOp::create(b, loc, type, number).getResult();
  }

  void emitWrites(id::ExchangeOp op) {
    if (isPosted(op))
      return emitPosts(op);
    const Tile &tile = settled(op.getInput());
    const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    const ExchangeWords words = wordsOf(op);
    Value own = sharedPointer(op, tile.mapping, words);
    std::optional<Destinations> blocks;
    if (op.getKind() == id::ExchangeKind::Cluster)
      blocks.emplace(destinationsOf(tile.mapping, op.getResult().getType().getMapping(), own));
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      int64_t offset = registerOffset(layout, tile.mapping, r, words);
      const SmallVector<Value> bases = blocks ? blocksOf(*blocks, tile.mapping, r) : SmallVector<Value>{own};
      for (Value word : wordsOfNumbers(numbersOf(tile.registers[r], tile.element, words.unit), words)) {
        for (Value base : bases)
          LLVM::StoreOp::create(b, loc, word, at(base, offset), static_cast<unsigned>(bytesOf(word.getType())));
        offset += words.setBytes;
      }
    }
  }

  /// The blocks of a cluster that words go to: those that hold their elements afterwards, by the digits of the rank;
  /// where it holds none all have the same, each block beginning with another one.
  struct Destinations {
    Value own;               // this thread's part of its own block's memory
    digits::LinearForm rank; // in the digits of an element
    Value ofThread;          // what the thread's digits add to it; null where all blocks are meant
    std::map<int64_t, SmallVector<Value>> ofRegisters{}; // what is added to that -> this thread's part of their memory
  };

  Destinations destinationsOf(const Mapping &before, const Mapping &after, Value own) {
    Destinations to{own, {}, {}};
    int64_t weight = 1;
    for (const digits::Column &column : after[Field::Rank]) {
      if (!column.digits.empty()) {
        to.rank.weight.resize(std::max<size_t>(to.rank.weight.size(), column.digits[0]), 0);
        to.rank.weight[column.digits[0] - 1] = weight;
      }
      weight *= column.radix;
    }
    if (!to.rank.weight.empty())
      to.ofThread = threadDigits.sum(
          before, [&](int digit) { return weightIn(to.rank, digit); }, /*narrow=*/true);
    return to;
  }

  static int64_t weightIn(const digits::LinearForm &form, int digit) {
    return digit <= static_cast<int>(form.weight.size()) ? form.weight[digit - 1] : 0;
  }

  /// The memory of the blocks that the words of register `r` go to.
  SmallVector<Value> blocksOf(Destinations &to, const Mapping &mapping, size_t r) {
    int64_t rank = 0;
    for (auto [column, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
      rank += value * weightIn(to.rank, column.digits[0]);
    SmallVector<Value> &found = to.ofRegisters[rank];
    if (!found.empty())
      return found;
    // Another block's shared memory has a stretch of addresses of its own.
    auto memoryOf = [&](Value number) { found.push_back(peerMemory(b, loc, to.own, number)); };
    if (to.ofThread) {
      memoryOf(arith::AddIOp::create(b, loc, to.ofThread, position(static_cast<size_t>(rank))));
    } else {
      for (int64_t i = 0; i < mapping.extent(Field::Rank); ++i)
        memoryOf(arith::XOrIOp::create(b, loc, block->rank, position(static_cast<size_t>(i))));
    }
    return found;
  }

  SmallVector<Value> wordsOfNumbers(ArrayRef<Value> numbers, const ExchangeWords &words) {
    SmallVector<Value> result;
    if (words.unit) {
      for (Type word : words.types) {
        ArrayRef<Value> own = numbers.take_front(words.perWord);
        numbers = numbers.drop_front(words.perWord);
        result.push_back(own.size() == 1 ? own[0] : pack(own, word));
      }
      return result;
    }
    for (Value number : numbers) {
      if (bytesOf(number.getType()) <= words.bytes) {
        result.push_back(number);
        continue;
      }
      Value halves = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getI32Type()), number);
      for (size_t i : {0, 1})
        result.push_back(LLVM::ExtractElementOp::create(b, loc, halves, position(i)));
    }
    return result;
  }

  SmallVector<Value> numbersOfWords(ArrayRef<Value> values, const ExchangeWords &words, Type element) {
    SmallVector<Value> numbers;
    if (words.unit) {
      for (Value value : values)
        for (int i = 0; i < words.perWord; ++i)
          numbers.push_back(
              words.perWord == 1 ? value : LLVM::ExtractElementOp::create(b, loc, value, position(i)).getResult());
      return numbers;
    }
    for (Type number : numberTypes(element)) {
      size_t count = bytesOf(number) <= words.bytes ? 1 : 2;
      Value value = values[0];
      if (count == 2)
        value =
            LLVM::BitcastOp::create(b, loc, number, pack(values.take_front(2), VectorType::get({2}, b.getI32Type())));
      numbers.push_back(value);
      values = values.drop_front(count);
    }
    return numbers;
  }

  static int64_t bytesOf(Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.getNumElements() * id::elementBytes(vector.getElementType());
    return id::elementBytes(type);
  }
  static Type accessType(Type unit, int64_t count) { return count == 1 ? unit : Type(VectorType::get({count}, unit)); }

  //===--- addresses --------------------------------------------------------------------------------------------===//

  Value pack(ArrayRef<Value> numbers, Type vector) {
    Value value = LLVM::PoisonOp::create(b, loc, vector);
    for (auto [i, number] : llvm::enumerate(numbers))
      value = LLVM::InsertElementOp::create(b, loc, value, number, position(i));
    return value;
  }

  /// Where the elements of a tile lie that are of one problem and whose register digits are zero.
  struct Place {
    Value element; // of this thread
    Value first;   // of the first one
  };

  /// In each plane.
  SmallVector<Place, 1> elementPlaces(const ViewLayout &layout, const Tile &tile, int64_t inRegisters) {
    SmallVector<Place, 1> places;
    for (auto [plane, bytes] : llvm::zip(buffers.find(layout.buffer)->second.planes, layout.bytes))
      places.push_back(elementPlace(layout, tile, inRegisters, plane, bytes));
    return places;
  }

  Place elementPlace(const ViewLayout &layout, const Tile &tile, int64_t inRegisters, Value plane, int64_t bytes) {
    const digits::LinearForm &address = layout.view.address;
    const int64_t problemBytes = layout.view.problem * bytes;
    int n = static_cast<int>(address.weight.size());
    auto weightOf = [&](int digit) { return digit > n ? 0 : address.weight[digit - 1] * bytes; };
    // Inside a problem 32 bits mostly are enough; complemented digits count down.
    bool narrow = reachOf(address, layout.view.radices) * bytes <= std::numeric_limits<int32_t>::max();
    Value offset = threadDigits.sum(tile.mapping, weightOf, narrow);
    if (narrow)
      offset = arith::ExtSIOp::create(b, loc, b.getI64Type(), offset);
    const int64_t first = (address.constant + ofFirstThread(layout, tile, address)) * bytes;
    Value start = arith::MulIOp::create(b, loc, problemOf(tile.mapping, n, inRegisters).index, constant(problemBytes));
    Value problem = byteOffset(plane, start);
    return {at(byteOffset(problem, offset), address.constant * bytes), at(problem, first)};
  }

  /// What the digits of the first thread add to a form: those that are least in what bounds compare and, where none
  /// does, in the address. Where a thread's elements are inside, those of the first thread are, too, unless bounds
  /// count a digit in opposite directions.
  int64_t ofFirstThread(const ViewLayout &layout, const Tile &tile, const digits::LinearForm &form) const {
    int64_t sum = 0;
    threadDigits.forEachColumn(tile.mapping, [&](const digits::Column &column) {
      if (column.digits.empty() || column.digits[0] > static_cast<int>(form.weight.size()))
        return;
      const size_t digit = static_cast<size_t>(column.digits[0]) - 1;
      int64_t direction = 0;
      for (const digits::BufferView::Bound &bound : layout.view.bounds)
        direction = direction ? direction : bound.index.weight[digit];
      if ((direction ? direction : layout.view.address.weight[digit]) < 0)
        sum += form.weight[digit] * (column.radix - 1);
    });
    return sum;
  }

  Value byteOffset(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
  }

  //===--- accesses ---------------------------------------------------------------------------------------------===//

  /// A scalar of a tile in memory.
  struct Slot {
    int64_t problem; // that the batch digits of its register make up
    size_t plane;
    int64_t offset;                  // bytes from the element whose register digits are zero
    SmallVector<int64_t, 2> indices; // what the register adds to what the view's bounds compare
    Type type;
    size_t number; // register by register, leaf by leaf, real part before imaginary part
    Value value;
  };

  /// The scalars of a tile by problem, plane and ascending address.
  LogicalResult slotsOf(Operation *op, const ViewLayout &layout, const Tile &tile, std::vector<Slot> &slots) {
    SmallVector<Type> types = id::leafTypes(tile.element);
    SmallVector<int64_t> offsets = id::leafOffsets(tile.element);
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      int64_t element = 0, problem = 0;
      SmallVector<int64_t, 2> indices(layout.view.bounds.size(), 0);
      const int n = static_cast<int>(layout.view.radices.size());
      for (auto [column, value] : llvm::zip(tile.mapping[Field::Reg], registerDigits(tile.mapping, r))) {
        int digit = column.digits[0];
        if (digit > n) {
          problem += value << (digit - n - 1);
          continue;
        }
        element += layout.view.address.weight[digit - 1] * value;
        for (auto [index, bound] : llvm::zip(indices, layout.view.bounds))
          index += bound.index.weight[digit - 1] * value;
      }
      const bool planar = layout.bytes.size() > 1;
      size_t plane = 0;
      auto add = [&](Type number, int64_t offset) {
        int64_t at = element * layout.bytes[plane] + (planar ? 0 : offset);
        slots.push_back({problem, plane, at, indices, number, slots.size(), {}});
        plane += planar;
      };
      for (auto [type, offset] : llvm::zip(types, offsets)) {
        if (auto complex = dyn_cast<ComplexType>(type)) {
          Type real = complex.getElementType();
          add(real, offset);
          add(real, offset + id::elementBytes(real));
        } else if (isa<FloatType, IntegerType, id::ModType>(type)) {
          add(storedType(type), offset);
        } else {
          return op->emitError() << "elements of type " << tile.element << " cannot be generated yet";
        }
      }
    }
    llvm::sort(slots, [](const Slot &a, const Slot &b) {
      return std::tie(a.problem, a.plane, a.offset) < std::tie(b.problem, b.plane, b.offset);
    });
    return success();
  }

  /// The values of a tile's slots, register by register.
  static SmallVector<Value> valuesOf(ArrayRef<Slot> slots) {
    SmallVector<Value> values(slots.size());
    for (const Slot &slot : slots)
      values[slot.number] = slot.value;
    return values;
  }

  /// How many problems that follow each other in memory a thread holds, where the end of one problem would cut an
  /// access short; else 1.
  int64_t problemsTogether(const ViewLayout &layout, const Tile &tile) const {
    int64_t problems = 1;
    if (!block || !layout.view.bounds.empty() ||
        llvm::all_of(layout.bytes, [&](int64_t bytes) { return layout.view.problem * bytes % widestAccess == 0; }))
      return problems;
    digits::Place place;
    for (int digit = static_cast<int>(layout.view.radices.size()) + 1;
         tile.mapping.find(digit, place) && place.field == Field::Reg; ++digit)
      problems *= 2;
    return problems;
  }

  /// The accesses that serve the slots, every `together` problems being taken as one.
  SmallVector<std::pair<size_t, size_t>> runsOf(std::vector<Slot> &slots, const ViewLayout &layout, const Tile &tile,
                                                int64_t together) const {
    for (Slot &slot : slots) {
      int64_t inner = slot.problem % together;
      slot.problem -= inner;
      slot.offset += inner * layout.view.problem * layout.bytes[slot.plane];
    }
    return wideRuns(slots, layout, tile, together);
  }

  /// What divides the value of a form for register digits zero, up to `most`.
  int64_t divisorOf(const digits::LinearForm &form, const Tile &tile, int64_t most) const {
    int64_t common = std::gcd(most, form.constant);
    threadDigits.forEachColumn(tile.mapping, [&](const digits::Column &column) {
      if (!column.digits.empty() && column.digits[0] <= static_cast<int>(form.weight.size()))
        common = std::gcd(common, form.weight[column.digits[0] - 1]);
    });
    return common;
  }

  /// Slots that one access serves: (first, count) of equal scalars next to each other, a power of two of them, all
  /// inside of the buffer or none.
  SmallVector<std::pair<size_t, size_t>> wideRuns(ArrayRef<Slot> slots, const ViewLayout &layout, const Tile &tile,
                                                  int64_t together) const {
    // Bytes that divide the address of the element whose register digits are zero.
    const int64_t divisor = divisorOf(layout.view.address, tile, together * layout.view.problem);
    SmallVector<int64_t, 1> alignment;
    for (int64_t bytes : layout.bytes)
      alignment.push_back(std::gcd(layout.alignment, bytes * divisor));
    SmallVector<int64_t> steps; // elements inside come in so many
    for (const digits::BufferView::Bound &bound : layout.view.bounds)
      steps.push_back(divisorOf(bound.index, tile, bound.limit));
    auto alike = [&](const Slot &a, const Slot &b) {
      return a.problem == b.problem && a.plane == b.plane && a.type == b.type &&
             llvm::all_of(llvm::zip(a.indices, b.indices, steps), [](auto indices) {
               auto [i, j, step] = indices;
               return llvm::divideFloorSigned(i, step) == llvm::divideFloorSigned(j, step);
             });
    };
    SmallVector<std::pair<size_t, size_t>> runs;
    for (size_t i = 0; i < slots.size();) {
      int64_t bytes = id::elementBytes(slots[i].type);
      size_t neighbours = 1;
      while (i + neighbours < slots.size() && alike(slots[i], slots[i + neighbours]) &&
             slots[i + neighbours].offset == slots[i].offset + static_cast<int64_t>(neighbours) * bytes)
        ++neighbours;
      size_t count = 1;
      auto fits = [&](size_t n) {
        int64_t width = static_cast<int64_t>(n) * bytes;
        return n <= neighbours && width <= alignment[slots[i].plane] && slots[i].offset % width == 0;
      };
      while (fits(2 * count))
        count *= 2;
      runs.emplace_back(i, count);
      i += count;
    }
    return runs;
  }

  void loadAll(std::vector<Slot> &slots, const ViewLayout &layout, const Tile &tile, int64_t together,
               ArrayRef<SmallVector<Value>> fills) {
    SmallVector<Place, 1> places;
    const Slot *before = nullptr;
    for (auto [first, count] : runsOf(slots, layout, tile, together)) {
      if (!before || before->problem != slots[first].problem)
        places = elementPlaces(layout, tile, slots[first].problem);
      before = &slots[first];
      loadRun(layout, tile, places[slots[first].plane], slots, first, count, fills);
    }
  }

  /// For each bound of a view whether a slot is inside: a test, null where it always is. `outside` is the last bound
  /// that it is never inside of, or -1.
  struct Tests {
    SmallVector<Value> inside;
    int outside = -1;
  };

  Tests testsOf(const ViewLayout &layout, const Tile &tile, const Slot &slot) {
    Tests tests;
    for (auto [number, bound] : llvm::enumerate(layout.view.bounds)) {
      int64_t own = bound.index.constant + slot.indices[number], least = own, most = own;
      auto weightOf = [&weights = bound.index.weight](int digit) {
        return digit <= static_cast<int>(weights.size()) ? weights[digit - 1] : 0;
      };
      threadDigits.forEachColumn(tile.mapping, [&](const digits::Column &column) {
        int64_t reach = column.digits.empty() ? 0 : weightOf(column.digits[0]) * (column.radix - 1);
        (reach < 0 ? least : most) += reach;
      });
      tests.inside.emplace_back();
      if (least >= bound.limit)
        tests.outside = static_cast<int>(number);
      else if (most >= bound.limit)
        tests.inside.back() = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::slt, threadDigits.sum(tile.mapping, weightOf), constant(bound.limit - own));
    }
    return tests;
  }

  Value allOf(ArrayRef<Value> tests) {
    Value all;
    for (Value test : tests)
      if (test)
        all = all ? arith::AndIOp::create(b, loc, all, test).getResult() : test;
    return all;
  }

  /// The numbers of an element beyond each bound.
  FailureOr<std::vector<SmallVector<Value>>> fillsOf(const ViewLayout &layout, const Tile &tile) {
    std::vector<SmallVector<Value>> fills;
    for (id::ResizeOp resize : layout.fills) {
      FailureOr<SmallVector<Leaf>> leaves = runBody(resize.getBody(), {}, tile, 0);
      if (failed(leaves))
        return failure();
      Tile one = tile;
      one.registers = {*leaves};
      makeCanonical(codelet, one);
      fills.push_back(numbersOf(one.registers[0], tile.element));
    }
    return fills;
  }

  /// True when the first thread's part of a slot is in the buffer.
  bool isFirstInside(const ViewLayout &layout, const Tile &tile, const Slot &slot) const {
    for (auto [bound, own] : llvm::zip(layout.view.bounds, slot.indices))
      if (bound.index.constant + own + ofFirstThread(layout, tile, bound.index) >= bound.limit)
        return false;
    return true;
  }

  /// What lies outside is read where the first thread reads, and then replaced. Where that is not inside, what lies
  /// outside is not read.
  void loadRun(const ViewLayout &layout, const Tile &tile, const Place &place, std::vector<Slot> &slots, size_t first,
               size_t count, ArrayRef<SmallVector<Value>> fills) {
    const Tests tests = testsOf(layout, tile, slots[first]);
    SmallVector<Value> values(count);
    if (tests.outside < 0) {
      const Value exists = allOf(tests.inside);
      const Type type = accessType(slots[first].type, static_cast<int64_t>(count));
      auto loadFrom = [&](Value element) -> Value {
        return LLVM::LoadOp::create(b, loc, type, at(element, slots[first].offset), accessBytes(slots[first], count));
      };
      Value loaded;
      if (!exists) {
        loaded = loadFrom(place.element);
      } else if (isFirstInside(layout, tile, slots[first])) {
        loaded = loadFrom(arith::SelectOp::create(b, loc, exists, place.element, place.first));
      } else {
        auto branch = scf::IfOp::create(b, loc, type, exists, /*withElseRegion=*/true);
        inside(branch.thenBlock(), [&] { scf::YieldOp::create(b, loc, loadFrom(place.element)); });
        inside(branch.elseBlock(), [&] { yieldPoison(type); });
        loaded = branch.getResult(0);
      }
      for (size_t i = 0; i < count; ++i)
        values[i] = count == 1 ? loaded : LLVM::ExtractElementOp::create(b, loc, loaded, position(i)).getResult();
    }
    for (size_t i = 0; i < count; ++i) {
      Slot &slot = slots[first + i];
      for (int bound = std::max(tests.outside, 0); bound < static_cast<int>(fills.size()); ++bound) {
        Value fill = fills[bound][slot.number % fills[bound].size()];
        if (bound == tests.outside)
          values[i] = fill;
        else if (Value inside = tests.inside[bound])
          values[i] = arith::SelectOp::create(b, loc, inside, values[i], fill);
      }
      slot.value = values[i];
    }
  }

  void storeRun(const ViewLayout &layout, const Tile &tile, const Place &place, ArrayRef<Slot> slots, size_t first,
                size_t count) {
    const Tests tests = testsOf(layout, tile, slots[first]);
    if (tests.outside >= 0)
      return;
    auto store = [&] {
      Value to = at(place.element, slots[first].offset), value = slots[first].value;
      if (count > 1) {
        value = LLVM::PoisonOp::create(b, loc, accessType(slots[first].type, static_cast<int64_t>(count)));
        for (size_t i = 0; i < count; ++i)
          value = LLVM::InsertElementOp::create(b, loc, value, slots[first + i].value, position(i));
      }
      LLVM::StoreOp::create(b, loc, value, to, accessBytes(slots[first], count));
    };
    if (Value inside = allOf(tests.inside))
      where(inside, store);
    else
      store();
  }

  Value at(Value base, int64_t offset) { return offset ? byteOffset(base, constant(offset)) : base; }
  Value position(size_t i) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(i)));
  }
  static unsigned accessBytes(const Slot &slot, size_t count) {
    return static_cast<unsigned>(static_cast<int64_t>(count) * id::elementBytes(slot.type));
  }
};

} // namespace

LogicalResult conversion::emitFlatBody(OpBuilder &b, Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                       const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                                       Value problem, Value number) {
  return FlatEmitter(b, loc, tables, buffers, parameters, problem).run(kernel, number);
}

LogicalResult conversion::emitFlatBody(OpBuilder &b, Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                       const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                                       Value problem, const FlatBlock &block, const FlatSections &sections) {
  return FlatEmitter(b, loc, tables, buffers, parameters, problem).run(kernel, block, sections);
}

LogicalResult conversion::emitFlatBody(OpBuilder &b, Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                       const DenseMap<Value, BufferMemory> &buffers, const Parameters &parameters,
                                       Value batch, CooperativeRounds &rounds, const FlatSections &sections) {
  return FlatEmitter(b, loc, tables, buffers, parameters, {}).run(kernel, batch, rounds, sections);
}

int64_t conversion::postedCells(id::KernelOp kernel) {
  int64_t cells = 0;
  for (id::ExchangeOp exchange : kernel.getBody().getOps<id::ExchangeOp>())
    cells += isPosted(exchange) ? FlatEmitter::cellsOf(exchange) : 0;
  return cells;
}
