// Input: a function of id.kernel ops with planned exchanges. Output: gpu.module of llvm functions.
//
// A thread holds its registers as SSA values. Thread number: lane + lanes * warp; block number: the block digits, the
// symbolic rest of the batch on top. Loads and stores are vectors of the lowest register digits with constant offsets;
// blocks that reach past the batch take a guarded path. Exchanges through shared memory write, meet, read; table
// entries that follow are loaded between the writes and the barrier, or all with the data where both take few
// registers. Rejected: elements whose numbers differ in size.
#include "compiler/conversion/LowerToGpu.h"

#include "compiler/conversion/Access.h"
#include "compiler/conversion/FlatKernel.h"
#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Index.h"
#include "compiler/conversion/KernelEmitter.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/RingPasses.h"
#include "compiler/conversion/TicketLoop.h"
#include "compiler/conversion/TileBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

namespace {

class GpuEmitter : public KernelEmitter {
public:
  /// `inPlace`: what the kernel writes may lie on what it reads.
  GpuEmitter(OpBuilder &builder, Location loc, TwiddleTables &tables, const passes::Target &target, bool inPlace)
      : KernelEmitter(builder, loc, tables, [](Type type) { return type; }), target(target), inPlace(inPlace) {}

  /// `startsNext`: the kernel after this one is a dependent launch. `several`: the kernel's second form.
  LogicalResult run(id::KernelOp kernel, bool startsNext, bool several, LLVM::LLVMFuncOp function,
                    LoweredKernel &lowered) {
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    lowered.threads = 0;
    for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
      Mapping mapping = load.getResult().getType().getMapping();
      lowered.threads = mapping.extent(Field::Lane) * mapping.extent(Field::Warp);
    }
    kernel.getBody().walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (auto tile = dyn_cast<id::TileType>(value.getType()))
          dataRegisters = std::max(dataRegisters, registersOf(tile));
    });
    const bool binary = kernel.isBinary();
    readsBeside = binary && kernel.getInputs().size() > 1;
    constexpr int64_t few = 16;
    factorRegisters = dataRegisters <= few ? 24 : 0;
    size_t next = 0;
    auto bind = [&](Value buffer, const Buffer &place) {
      memory[buffer].layout = place.layout;
      for (int plane = 0; plane < place.planes; ++plane)
        memory[buffer].planes.push_back(entry->getArgument(next++));
    };
    const size_t numInputs = kernel.getInputs().size();
    for (size_t i = 0; i < numInputs; ++i)
      bind(kernel.getBody().front().getArgument(i), lowered.buffers[i]);
    for (auto [i, value] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands()))
      bind(value, lowered.buffers[numInputs + i]);
    batch = entry->getArguments().back();
    Value counter = lowered.hasCounter() ? *(entry->args_rbegin() + 1) : Value();
    for (id::StoreOp store : kernel.getBody().getOps<id::StoreOp>())
      if (store.getRing())
        memory[store.getBuffer()] = {
            {*(entry->args_rbegin() + 2)},
            digits::ArrayLayout::dense(cast<id::SeqType>(store.getBuffer().getType()).getNumElements())};
    parameters = parametersOf(b, loc, kernel, entry->getArguments().slice(next, lowered.scalars.size()),
                              [](Value value) { return value; });
    if (startsNext)
      machine::StartNextOp::create(b, loc);
    awaitsPrevious = lowered.launch.dependent;
    Type i32 = b.getI32Type();
    thread = machine::ThreadOp::create(b, loc, i32);
    block = machine::BlockOp::create(b, loc, i32);
    sharedBytes = numberOf(kernel, sharedBytesAttr);
    if (int64_t size = lowered.launch.cluster; size > 1) {
      const bool binarySize = llvm::isPowerOf2_64(static_cast<uint64_t>(size));
      rank = binarySize ? arith::AndIOp::create(b, loc, block, constant32(size - 1)).getResult()
                        : arith::RemUIOp::create(b, loc, block, constant32(size)).getResult();
      block = binarySize ? arith::ShRUIOp::create(b, loc, block, constant32(llvm::Log2_64(size))).getResult()
                         : arith::DivUIOp::create(b, loc, block, constant32(size)).getResult();
    }
    if (failed(lowered.launch.team > 1 ? emitRounds(kernel, lowered, counter, several)
               : !binary               ? emitFlatBlocks(kernel, lowered)
               : lowered.hasRing()     ? emitPasses(kernel, lowered, counter)
               : counter               ? emitTickets(kernel, lowered, counter)
                                       : emitOnce(kernel)))
      return failure();
    // Where a step reads a second tile, passes stand before and after it, and their factors are not all there at once.
    // Beside the least data they fit into what is asked for without them.
    constexpr int64_t least = 8;
    if (factorRegisters && !readsBeside && dataRegisters > least)
      dataRegisters += loadedRegisters();
    LLVM::ReturnOp::create(b, loc, ValueRange{});
    lowered.sharedBytes = sharedBytes;
    return success();
  }

  /// One block number per block or cluster.
  LogicalResult emitOnce(id::KernelOp kernel) {
    if (rank) {
      // Waited for before the first access to another block: by then all have started.
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Relaxed);
      arrived = true;
    }
    if (failed(emitBody(kernel)))
      return failure();
    if (arrived)
      machine::ClusterWaitOp::create(b, loc);
    return success();
  }

  /// Block numbers until there are none left, drawn from a counter.
  LogicalResult emitTickets(id::KernelOp kernel, const LoweredKernel &lowered, Value counter) {
    TicketLoop::Shape shape;
    shape.cluster = lowered.launch.cluster;
    bool betweenBlocksFirst = false, first = true;
    for (id::ExchangeOp exchange : kernel.getBody().getOps<id::ExchangeOp>()) {
      bool betweenBlocks = exchange.getKind() == id::ExchangeKind::Cluster;
      if (!betweenBlocks && exchange.getKind() != id::ExchangeKind::Shared)
        continue;
      id::TileType tile = exchange.getInput().getType();
      if (betweenBlocks) { // word by word
        int64_t wordBytes = id::exchangeWordBytes(tile.getElement());
        int64_t bytes = id::elementBytes(tile.getElement()), word = std::min(bytes & -bytes, wordBytes);
        int64_t words = tile.getMapping().extent(Field::Reg) >> id::exchangeWordDigits(exchange).size();
        int64_t received = words * lowered.threads * std::max<int64_t>(4, word);
        shape.exchangedBytes.append(bytes / word, received);
      }
      betweenBlocksFirst |= first && betweenBlocks;
      first = false;
    }
    if (rank && shape.exchangedBytes.empty())
      return kernel.emitError() << "draws numbers for clusters whose blocks exchange nothing";
    shape.offset = (sharedBytes + 7) / 8 * 8;
    tickets.emplace(b, loc, shape, sharedMemory(b, loc));
    // Blocks that would leave little of the multiprocessor's memory to its first-level cache: better one less.
    sharedBytes = tickets->sharedEnd();
    constexpr int64_t reserved = 1024;
    int64_t all = target.sharedBytesPerMultiprocessor / (sharedBytes + reserved),
            cached = target.sharedBytesBesideCache / (sharedBytes + reserved);
    if (cached < all)
      sharedBytes = std::max(sharedBytes, target.sharedBytesPerMultiprocessor / (cached + 1) - reserved + 16);
    if (rank)
      tickets->initialise();
    // "All blocks have started and made their barriers", and after a round "shared memory is free": what was read
    // there has been stored by then, so that only the threads' progress need be ordered.
    if (betweenBlocksFirst)
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Relaxed);
    tickets->begin(block, counter, blockNumbers(lowered));
    block = tickets->number();
    thread = tickets->thread();
    rank = tickets->rank();
    for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
      constexpr int64_t roomy = 64; // 32-bit registers of data, beside which as many are free
      id::TileType tile = load.getResult().getType();
      int64_t bytes = tile.getMapping().extent(Field::Reg) * id::elementBytes(tile.getElement());
      rereads = bytes > 4 * roomy;
    }
    arrived = betweenBlocksFirst;
    if (failed(emitBody(kernel)))
      return failure();
    Value goesOn = tickets->endRound();
    if (betweenBlocksFirst) {
      auto branch = scf::IfOp::create(b, loc, TypeRange{}, goesOn, false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Relaxed);
    }
    tickets->close(goesOn);
    return success();
  }

  /// A kernel of a group, or of a chain of other radices.
  LogicalResult emitFlatBlocks(id::KernelOp kernel, LoweredKernel &lowered) {
    const FlatSections sections = cutSections(kernel);
    const TileBlocks shape = tileBlocksOf(kernel, target);
    const auto [oneTile, inNumbers, tiles, tileThreads, batchProblems, blocks] = shape;
    lowered.threads = tiles * tileThreads;
    lowered.problemsPerBlockGroup = inNumbers ? 1 : tiles * batchProblems;
    lowered.blocksPerGroup = inNumbers ? (blocks + tiles - 1) / tiles : blocks * lowered.launch.cluster;
    sharedBytes = tiles * numberOf(kernel, sharedBytesAttr);
    FlatBlock flat;
    flat.thread = thread;
    flat.rank = rank;
    flat.batch = batch;
    flat.awaits = awaitsPrevious;
    Value wideBlock = arith::ExtUIOp::create(b, loc, b.getI64Type(), block),
          inGroup = constant64(inNumbers ? lowered.blocksPerGroup : blocks);
    flat.block = arith::RemUIOp::create(b, loc, wideBlock, inGroup);
    flat.first = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, wideBlock, inGroup),
                                       constant64(lowered.problemsPerBlockGroup));
    Value problem = flat.first;
    if (tiles > 1) {
      Value perTile = constant32(tileThreads);
      flat.slot = arith::ExtUIOp::create(b, loc, b.getI64Type(), arith::DivUIOp::create(b, loc, thread, perTile));
      flat.thread = arith::RemUIOp::create(b, loc, thread, perTile);
      if (!inNumbers)
        problem = arith::AddIOp::create(b, loc, problem, flat.slot);
    }
    if (inNumbers)
      flat.block =
          arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, flat.block, constant64(tiles)), flat.slot);
    OpBuilder::InsertionGuard guard(b);
    if (tiles > 1 && !meets(kernel)) { // threads beyond the batch have nothing to wait for
      if (flat.awaits)
        awaitPrevious();
      flat.awaits = false;
      Value active = inNumbers
                         ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, flat.block, constant64(blocks))
                         : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, problem, batch);
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, TypeRange{}, active, false).thenBlock());
    }
    return emitFlatBody(b, loc, tables, kernel, memory, parameters, problem, flat, sections);
  }

  /// A flat kernel whose blocks wait for each other, for one rank or `several` to a block.
  LogicalResult emitRounds(id::KernelOp kernel, LoweredKernel &lowered, Value posts, bool several) {
    const FlatSections sections = cutSections(kernel);
    const int64_t blocks = widestExtent(kernel, Field::Block);
    lowered.threads = sections.threads;
    lowered.problemsPerBlockGroup = 1;
    lowered.blocksPerGroup = blocks * lowered.launch.team;
    sharedBytes = numberOf(kernel, sharedBytesAttr);
    CooperativeRounds::Shape shape{lowered.launch.team, widestExtent(kernel, Field::Turn), postedCells(kernel),
                                   several};
    Value numbers =
        arith::TruncIOp::create(b, loc, b.getI32Type(), arith::MulIOp::create(b, loc, batch, constant64(blocks)));
    CooperativeRounds rounds(b, loc, shape, posts, numbers);
    return emitFlatBody(b, loc, tables, kernel, memory, parameters, batch, rounds, sections);
  }

  /// The block numbers of the batch, or those of clusters.
  Value blockNumbers(const LoweredKernel &lowered) {
    int64_t group = llvm::Log2_64(lowered.problemsPerBlockGroup),
            inGroup = lowered.blocksPerGroup / lowered.launch.cluster;
    Value groups = arith::ShRUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, batch, constant64(lowered.problemsPerBlockGroup - 1)), constant64(group));
    Value numbers = arith::MulIOp::create(b, loc, groups, constant64(inGroup));
    return arith::TruncIOp::create(b, loc, b.getI32Type(), numbers);
  }

  /// Two passes with a ring between them. A block waits where its barriers are anyway: for a free slot before the first
  /// barrier of the first pass, and says that a tile has been read after the first barrier of the second.
  LogicalResult emitPasses(id::KernelOp kernel, const LoweredKernel &lowered, Value counters) {
    RingPasses::Shape shape;
    auto ops = kernel.getBody().front().without_terminator();
    Block::iterator second = ops.begin();
    for (Operation &op : ops) {
      if (auto store = dyn_cast<id::StoreOp>(op); store && store.getRing()) {
        shape.slots = *store.getRing();
        second = std::next(op.getIterator());
      }
      if (auto load = dyn_cast<id::LoadOp>(op); load && load.getDelay())
        shape.delay = *load.getDelay();
    }
    shape.tiles = lowered.blocksPerGroup;
    shape.offset = sharedBytes;
    passes.emplace(b, loc, shape, sharedMemory(b, loc), counters, blockNumbers(lowered));
    sharedBytes = passes->sharedEnd();
    passes->drawTicket();
    LogicalResult result = success();
    for (int number : {0, 1})
      passes->pass(number, [&] {
        block = passes->tile();
        result = failed(result) ? result : emitOps(number ? second : ops.begin(), number ? ops.end() : second);
      });
    return result;
  }

  /// Blocks that a multiprocessor shall have registers for. What shared memory leaves room for is not asked here: fewer
  /// registers are worth having all the same.
  int64_t residentBlocks(const LoweredKernel &lowered, bool flat) const {
    int64_t blocks = target.residentBlocks(lowered.threads, target.registersBeside(dataRegisters), 0);
    if (lowered.launch.team >
        1) { // two, unless the team needs more: what is loaded ahead has registers beside what is worked on
      const int64_t processors = target.latency.multiprocessors;
      return std::max<int64_t>(2, (lowered.launch.team + processors - 1) / processors);
    }
    // Of several blocks that talk to none, a quarter fewer: registers for what a contraction keeps for its expansion;
    // but not where a large problem's blocks then would no longer run all at once.
    if (flat && lowered.launch.cluster == 1) {
      int64_t fewer = std::max(std::min<int64_t>(blocks, 3), blocks * 3 / 4), all = lowered.blocksPerGroup;
      auto atOnce = [&](int64_t count) { return all <= count * target.latency.multiprocessors; };
      return all > 1 && atOnce(blocks) && !atOnce(fewer) ? blocks : fewer;
    }
    // Of several ones that read a second tile, one less.
    return readsBeside ? std::max(std::min<int64_t>(blocks, 2), blocks - 1) : blocks;
  }

protected:
  FailureOr<Tile> emitLoad(id::LoadOp op) override {
    if (auto found = ahead.find(op); found != ahead.end())
      return found->second;
    if (!passes)
      return emitLoadAt(op);
    if (!op.getDelay()) {
      duty = Duty::WaitForSlot;
      return emitLoadAt(op);
    }
    passes->wait();
    blockBarrier();
    duty = Duty::SayRead;
    block = passes->tileInRing();
    FailureOr<Tile> tile = emitLoadAt(op);
    block = passes->tile();
    return tile;
  }

  LogicalResult emitStore(id::StoreOp op, const Tile &tile) override {
    if (duty != Duty::None) // nothing was exchanged in the pass
      blockBarrier();
    if (meetsBeforeStore)
      machine::ClusterWaitOp::create(b, loc);
    meetsBeforeStore = false;
    if (!op.getRing())
      return emitStoreAt(op, tile);
    block = passes->tileInRing();
    LogicalResult result = emitStoreAt(op, tile);
    block = passes->tile();
    machine::BarrierOp::create(b, loc);
    passes->signal();
    return result;
  }

  /// The 32-bit registers that a thread's part of a tile takes.
  static int64_t registersOf(id::TileType tile) {
    return tile.getMapping().extent(Field::Reg) * id::registerBytes(tile.getElement()) / 4;
  }

  /// Loads what steps up to the next exchange read beside the tile of `op`, which is on its way, as long as registers
  /// hold both.
  void loadAhead(Operation *op) {
    constexpr int64_t mostRegisters = 32;
    for (Operation *next = op->getNextNode(); next && !isa<id::ExchangeOp, id::StoreOp>(next);
         next = next->getNextNode())
      if (auto load = dyn_cast<id::LoadOp>(next); load && registersOf(load.getResult().getType()) <= mostRegisters)
        if (FailureOr<Tile> tile = emitLoadAt(load); succeeded(tile)) // a failure has been reported
          ahead[load] = std::move(*tile);
  }

  FailureOr<Tile> emitLoadAt(id::LoadOp op) {
    readPlace();
    Tile tile = emptyTile(op.getResult().getType());
    Type real;
    int components;
    if (!id::splitNumbers(tile.element, real, components))
      return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
    const BufferMemory &buffer = memory.find(op.getBuffer())->second;
    const Unit unit = unitOf(buffer, tile.element, real, components);
    Access access = loadAccess(tile.mapping, op.getMap().getPermutation(), op.getBuffer().getType().getNumDigits(),
                               maxVector(buffer, unit));
    Address address = makeAddress(access, tile.mapping, buffer, unit);
    std::vector<size_t> groups = groupsOf(tile.registers.size(), access.vectorBits);
    if (awaitsPrevious) {
      prefetchTwiddles(op, tile); // tables are no kernel's result
      awaitPrevious();
    }
    const Pieces pieces = piecesOf(unit, access.vectorBits.size());
    auto loadGroup = [&](size_t r) {
      SmallVector<Value> loaded;
      for (size_t plane = 0; plane < address.bases.size(); ++plane) {
        Value pointer = pointerAt(address, plane, lowest(access, r), unit);
        for (int64_t i = 0; i < pieces.count; ++i)
          loaded.push_back(readPiece(pieces.type, pieceAt(pointer, pieces, i), pieces.bytes));
      }
      return loaded;
    };
    SmallVector<Value> loaded;
    if (access.batchDigits == 0) {
      for (size_t r : groups)
        llvm::append_range(loaded, loadGroup(r));
    } else {
      const size_t perGroup = pieces.count * address.bases.size();
      SmallVector<Type> types(perGroup, pieces.type);
      auto branch = scf::IfOp::create(b, loc, SmallVector<Type>(groups.size() * perGroup, pieces.type),
                                      blockIsFull(access, tile.mapping), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      SmallVector<Value> full;
      for (size_t r : groups)
        llvm::append_range(full, loadGroup(r));
      scf::YieldOp::create(b, loc, full);
      b.setInsertionPointToStart(branch.elseBlock());
      SmallVector<Value> guarded;
      for (size_t r : groups) {
        auto one = scf::IfOp::create(b, loc, types, inBatch(access, tile.mapping, r), true);
        OpBuilder::InsertionGuard inner(b);
        b.setInsertionPointToStart(one.thenBlock());
        scf::YieldOp::create(b, loc, loadGroup(r));
        b.setInsertionPointToStart(one.elseBlock());
        Value zero = LLVM::ZeroOp::create(b, loc, pieces.type);
        scf::YieldOp::create(b, loc, SmallVector<Value>(perGroup, zero));
        llvm::append_range(guarded, one.getResults());
      }
      scf::YieldOp::create(b, loc, guarded);
      loaded.assign(branch.getResults().begin(), branch.getResults().end());
    }
    SmallVector<Value> numbers;
    for (Value piece : loaded)
      unpack(piece, numbers);
    ArrayRef<Value> rest = numbers;
    const size_t length = size_t(1) << access.vectorBits.size();
    for (size_t r : groups) {
      for (size_t k = 0; k < length; ++k) {
        SmallVector<Value> element;
        for (int c = 0; c < components; ++c)
          element.push_back(rest[numberInGroup(unit, length, k, c)]);
        tile.registers[withVector(r, access.vectorBits, k ^ access.vectorFlip)] = leavesOf(element, tile.element);
      }
      rest = rest.drop_front(length * components);
    }
    return tile;
  }

  LogicalResult emitStoreAt(id::StoreOp op, const Tile &tile) {
    readPlace();
    Type real;
    int components;
    if (!id::splitNumbers(tile.element, real, components))
      return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
    const BufferMemory &buffer = memory.find(op.getBuffer())->second;
    const Unit unit = unitOf(buffer, tile.element, real, components);
    Access access = storeAccess(tile.mapping, op.getMap().getPermutation(), maxVector(buffer, unit));
    Address address = makeAddress(access, tile.mapping, buffer, unit);
    std::vector<size_t> groups = groupsOf(tile.registers.size(), access.vectorBits);
    const Pieces pieces = piecesOf(unit, access.vectorBits.size());
    const size_t length = size_t(1) << access.vectorBits.size();
    std::vector<SmallVector<Value>> packed;
    for (size_t r : groups) {
      SmallVector<Value> numbers(length * components);
      for (size_t k = 0; k < length; ++k) {
        size_t from = withVector(r, access.vectorBits, k ^ access.vectorFlip);
        for (auto [c, number] : llvm::enumerate(numbersOf(tile.registers[from], tile.element, real)))
          numbers[numberInGroup(unit, length, k, static_cast<int>(c))] = number;
      }
      packed.emplace_back();
      const size_t perPiece = numbers.size() / pieces.count / address.bases.size();
      for (size_t first = 0; first < numbers.size(); first += perPiece)
        packed.back().push_back(pack(ArrayRef<Value>(numbers).slice(first, perPiece), real));
    }
    auto storeGroup = [&](size_t g) {
      auto piece = packed[g].begin();
      for (size_t plane = 0; plane < address.bases.size(); ++plane) {
        Value pointer = pointerAt(address, plane, lowest(access, groups[g]), unit);
        for (int64_t i = 0; i < pieces.count; ++i)
          writePiece(*piece++, pieceAt(pointer, pieces, i), pieces.bytes);
      }
    };
    if (access.batchDigits == 0) {
      for (size_t g = 0; g < groups.size(); ++g)
        storeGroup(g);
      return success();
    }
    auto branch = scf::IfOp::create(b, loc, TypeRange{}, blockIsFull(access, tile.mapping), true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (size_t g = 0; g < groups.size(); ++g)
      storeGroup(g);
    b.setInsertionPointToStart(branch.elseBlock());
    for (size_t g = 0; g < groups.size(); ++g) {
      auto one = scf::IfOp::create(b, loc, TypeRange{}, inBatch(access, tile.mapping, groups[g]), false);
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(one.thenBlock());
      storeGroup(g);
    }
    return success();
  }

  FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) override {
    const Mapping after = op.getResult().getType().getMapping();
    const bool moves = op.getKind() != id::ExchangeKind::None && op.getKind() != id::ExchangeKind::Registers;
    const std::vector<int> together = moves ? id::exchangeWordDigits(op) : std::vector<int>();
    if (together.empty())
      return exchange(op, tile, after);
    FailureOr<Tile> words = exchange(op, packed(tile, together), after.without(together));
    if (failed(words))
      return failure();
    return unpacked(*words, after, together, tile.element);
  }

  FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
    readPlace();
    Tile moved = tile;
    moved.mapping = after;
    moved.registers.assign(moved.mapping.extent(Field::Reg), {});
    Type real;
    int components;
    if (!id::splitNumbers(tile.element, real, components))
      return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
    switch (op.getKind()) {
    case id::ExchangeKind::None:
      moved.registers = tile.registers;
      break;
    case id::ExchangeKind::Registers:
    case id::ExchangeKind::Shuffle: {
      digits::ExchangePlan plan;
      std::string error;
      digits::ExchangeOptions options;
      options.maxShuffleSwaps = 5;
      options.wordBytes = id::exchangeWordBytes(tile.element);
      if (!digits::planExchange(tile.mapping, moved.mapping, options, plan, error))
        return op.emitError() << error;
      if (plan.kind == digits::ExchangeKind::Registers)
        for (size_t r = 0; r < moved.registers.size(); ++r)
          moved.registers[r] = tile.registers[plan.registerSource[r]];
      else
        shuffle(plan.shuffle, tile, moved);
      prefetchTwiddles(op, emptyTile(op.getResult().getType()));
      break;
    }
    case id::ExchangeKind::Shared:
    case id::ExchangeKind::Cluster:
      throughMemory(op, tile, moved, real, components);
      break;
    case id::ExchangeKind::Grid:
      return op.emitError() << "only flat kernels have exchanges between the blocks of a grid";
    case id::ExchangeKind::Unplanned:
      return op.emitError() << "exchange without a plan; run id-plan-exchanges first";
    }
    return moved;
  }

  FailureOr<Complex> emitRoot(Operation *op, int64_t root, const digits::Polynomial &exponent, const Tile &place,
                              Type real) override {
    return emitTableProduct(op, root, exponent, place, real);
  }

  std::pair<Value, Value> emitTableLoad(const std::string &table, const TwiddleFactor &factor, const Tile &place,
                                        Type scalar) override {
    auto target = [&](int digit) -> uint64_t {
      auto at = std::find(factor.digits.begin(), factor.digits.end(), digit);
      return at == factor.digits.end() ? 0 : uint64_t(1) << (at - factor.digits.begin());
    };
    Value index = positionBits(place.mapping, target, b.getI32Type());
    Value base =
        LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), machine::globalSpace), table);
    Type pair = VectorType::get({2}, scalar);
    Value at = index ? gep(base, pair, index) : base;
    Value w = LLVM::LoadOp::create(b, loc, pair, at, scalar.getIntOrFloatBitWidth() / 4, /*isVolatile=*/false,
                                   /*isNonTemporal=*/false, /*isInvariant=*/true);
    return {element(w, 0), element(w, 1)};
  }

  Value emitDigit(int digit, const Tile &place) override {
    Value bits = positionBits(
        place.mapping, [&](int d) -> uint64_t { return d == digit; }, b.getI64Type());
    return bits ? bits : emitInteger(0);
  }

  Value emitInteger(int64_t value) override { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

private:
  const passes::Target &target;
  const bool inPlace;
  bool meetsBeforeStore = false;        // the blocks of the cluster, at a barrier that they have arrived at
  int64_t dataRegisters = 0;            // 32-bit, of a thread's part of the largest tile
  bool readsBeside = false;             // a tile beside that of the step before
  DenseMap<Value, BufferMemory> memory; // of the body's buffers
  Value batch, thread, block;
  Value rank; // in the cluster; null without clusters
  int64_t sharedBytes = 0;
  bool arrived = false;                                             // at a cluster barrier that nobody has waited for
  std::optional<TicketLoop> tickets;                                // of a kernel that draws its block numbers
  std::optional<RingPasses> passes;                                 // of a kernel with a ring
  enum class Duty { None, WaitForSlot, SayRead } duty = Duty::None; // at the pass's next barrier
  bool rereads = false;              // the thread's place where it is used, in such a kernel
  size_t numSent = 0;                // exchanges between blocks so far, in such a kernel
  bool awaitsPrevious = false;       // a dependent launch that has touched no buffer yet
  DenseMap<Operation *, Tile> ahead; // loaded across an exchange

  struct Address {
    SmallVector<Value, 1> bases; // pointer to the thread's element 0, in each plane
    std::vector<int64_t> regs;   // element offset per register number
  };

  /// What lies at each place of a plane: an element, or one of its numbers.
  struct Unit {
    Type number;
    int components; // numbers
    int64_t bytes;
    Type type() const { return LLVM::LLVMArrayType::get(number, components); }
  };
  static Unit unitOf(const BufferMemory &buffer, Type element, Type number, int components) {
    if (buffer.layout.planar)
      return {number, 1, id::elementBytes(number)};
    return {number, components, id::elementBytes(element)};
  }
  /// The place of number `c` of the k-th of `length` neighbouring elements: plane by plane, in each element by element.
  static size_t numberInGroup(const Unit &unit, size_t length, size_t k, int c) {
    int plane = c / unit.components;
    return (plane * length + k) * unit.components + c % unit.components;
  }

  /// Every thread waits for the end of the kernels before this one ahead of its first access to a buffer; so it reads
  /// what they wrote, writes what they no longer read, and has ended only after them.
  void awaitPrevious() {
    machine::AwaitPreviousOp::create(b, loc);
    awaitsPrevious = false;
  }

  /// In a loop over block numbers whose data leave few registers the thread's place is read again where it is used.
  void readPlace() {
    if (!rereads)
      return;
    thread = tickets->thread();
    rank = tickets->rank();
  }

  /// Input and output beside a ring are hinted to stream through the cache, where the ring is to stay (accesses of 8
  /// bytes only).
  bool streams(int64_t bytes) const { return passes && block == passes->tile() && bytes == 8; }
  Value readPiece(Type type, Value pointer, int64_t bytes) {
    if (!streams(bytes))
      return LLVM::LoadOp::create(b, loc, type, pointer, bytes);
    Type i64 = b.getI64Type();
    Value bits = machine::LoadStreamOp::create(b, loc, i64, pointer);
    return type == i64 ? bits : LLVM::BitcastOp::create(b, loc, type, bits).getResult();
  }
  void writePiece(Value piece, Value pointer, int64_t bytes) {
    if (!streams(bytes)) {
      LLVM::StoreOp::create(b, loc, piece, pointer, bytes);
      return;
    }
    Type i64 = b.getI64Type();
    Value bits = piece.getType() == i64 ? piece : LLVM::BitcastOp::create(b, loc, i64, piece).getResult();
    machine::StoreStreamOp::create(b, loc, bits, pointer);
  }

  /// A barrier of the block, with what the pass of a ring has to do there.
  void blockBarrier() {
    if (duty == Duty::WaitForSlot)
      passes->wait();
    machine::BarrierOp::create(b, loc);
    if (duty == Duty::SayRead)
      passes->signal();
    duty = Duty::None;
  }

  /// The most elements that one access takes.
  int64_t maxVector(const BufferMemory &buffer, const Unit &unit) const {
    int64_t most = std::max<int64_t>(1, target.vectorBytes / (unit.bytes & -unit.bytes));
    return buffer.layout.isDense() ? most : buffer.layout.runLength(most);
  }

  Value constant32(int64_t v) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(v)));
  }
  Value constant64(int64_t v) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v)); }

  Value gep(Value base, Type elementType, Value index) {
    return LLVM::GEPOp::create(b, loc, base.getType(), elementType, base, ArrayRef<LLVM::GEPArg>{index});
  }

  Value element(Value vector, int64_t i) { return LLVM::ExtractElementOp::create(b, loc, vector, constant32(i)); }

  /// Registers that start a wide access: all vector bits zero.
  static std::vector<size_t> groupsOf(size_t count, ArrayRef<int> vectorBits) {
    size_t mask = 0;
    for (int bit : vectorBits)
      mask |= size_t(1) << bit;
    std::vector<size_t> groups;
    for (size_t r = 0; r < count; ++r)
      if (!(r & mask))
        groups.push_back(r);
    return groups;
  }
  static size_t withVector(size_t r, ArrayRef<int> vectorBits, size_t k) {
    for (auto [i, bit] : llvm::enumerate(vectorBits))
      if (k >> i & 1)
        r |= size_t(1) << bit;
    return r;
  }

  /// The register of the group of `r` (vector bits zero) that has the lowest address.
  static size_t lowest(const Access &access, size_t r) { return withVector(r, access.vectorBits, access.vectorFlip); }

  /// The accesses that move 2^k neighbouring elements: each as wide as the size of all of them allows.
  struct Pieces {
    Type type; // a number or a vector of them
    int64_t bytes, count;
  };

  Pieces piecesOf(const Unit &unit, size_t vectorBits) const {
    int64_t all = unit.bytes << vectorBits, bytes = std::min(all & -all, target.vectorBytes);
    int64_t length = bytes / id::elementBytes(unit.number);
    return {length == 1 ? unit.number : Type(VectorType::get({length}, unit.number)), bytes, all / bytes};
  }

  Value pieceAt(Value pointer, const Pieces &pieces, int64_t i) {
    return i ? gep(pointer, b.getI8Type(), constant64(i * pieces.bytes)) : pointer;
  }

  /// Appends the numbers of a vector, or the one.
  void unpack(Value piece, SmallVector<Value> &numbers) {
    auto vector = dyn_cast<VectorType>(piece.getType());
    if (!vector)
      numbers.push_back(piece);
    else
      for (int64_t i = 0; i < vector.getNumElements(); ++i)
        numbers.push_back(element(piece, i));
  }

  Value pack(ArrayRef<Value> scalars, Type real) {
    if (scalars.size() == 1)
      return scalars[0];
    Value vector = LLVM::PoisonOp::create(b, loc, VectorType::get({static_cast<int64_t>(scalars.size())}, real));
    for (auto [i, scalar] : llvm::enumerate(scalars))
      vector = LLVM::InsertElementOp::create(b, loc, vector, scalar, constant32(static_cast<int64_t>(i)));
    return vector;
  }

  /// Lanes and warps as bits of the thread number.
  std::vector<uint64_t> threadTargets(const Mapping &mapping, const std::function<uint64_t(int)> &target) const {
    std::vector<uint64_t> bits = columnTargets(mapping[Field::Lane], target);
    llvm::append_range(bits, columnTargets(mapping[Field::Warp], target));
    return bits;
  }

  /// The rank's digits moved to their targets; null when none has one.
  Value rankBits(const Mapping &mapping, const std::function<uint64_t(int)> &target) {
    return rank ? scatterBits(b, loc, rank, columnTargets(mapping[Field::Rank], target)) : Value();
  }

  /// Digits of thread, rank and block moved to their targets, in the given integer type; null when none has one.
  Value positionBits(const Mapping &mapping, const std::function<uint64_t(int)> &target, Type type) {
    Value sum;
    for (Value part : {scatterBits(b, loc, thread, threadTargets(mapping, target)), rankBits(mapping, target),
                       scatterBits(b, loc, block, columnTargets(mapping[Field::Block], target))}) {
      if (!part)
        continue;
      if (type.isInteger(64))
        part = arith::ExtUIOp::create(b, loc, type, part);
      sum = sum ? arith::OrIOp::create(b, loc, sum, part).getResult() : part;
    }
    return sum;
  }

  /// The block number's part in 64 bits: block digits, then the rest of the batch from bit `restBit` up.
  Value blockPart(const Mapping &mapping, const std::function<uint64_t(int)> &target, int restBit) {
    std::vector<uint64_t> bits = columnTargets(mapping[Field::Block], target);
    for (size_t i = bits.size(), rest = restBit; i < 31; ++i, ++rest)
      bits.push_back(uint64_t(1) << rest);
    return scatterBits(b, loc, arith::ExtUIOp::create(b, loc, b.getI64Type(), block), bits);
  }

  Address makeAddress(const Access &access, const Mapping &mapping, const BufferMemory &buffer, const Unit &unit) {
    if (!buffer.layout.isDense())
      return laidOutAddress(access, mapping, buffer, unit);
    auto target = [&](int digit) { return access.target(digit); };
    uint64_t registerBits = 0, threadBits = 0;
    for (uint64_t bits : columnTargets(mapping[Field::Reg], target))
      registerBits |= bits;
    std::vector<uint64_t> threads = threadTargets(mapping, target);
    for (uint64_t bits : threads)
      threadBits |= bits;
    Type elementType = unit.type();
    Value blocks = blockPart(mapping, target, access.addressDigits + access.batchDigits);
    if (Value ranks = rankBits(mapping, target))
      blocks = arith::OrIOp::create(b, loc, blocks, arith::ExtUIOp::create(b, loc, b.getI64Type(), ranks));
    if (uint64_t flip = access.flipped & ~registerBits & ~threadBits)
      blocks = arith::XOrIOp::create(b, loc, blocks, constant64(static_cast<int64_t>(flip)));
    Address address;
    Value base = gep(buffer.planes[0], elementType, blocks);
    Value lanes = scatterBits(b, loc, thread, threads);
    if (uint64_t flip = access.flipped & threadBits)
      lanes = arith::XOrIOp::create(b, loc, lanes, constant32(static_cast<int64_t>(flip)));
    if (lanes)
      base = gep(base, elementType, arith::ExtUIOp::create(b, loc, b.getI64Type(), lanes));
    address.bases.push_back(base);
    for (uint64_t offset : constantTargets(mapping[Field::Reg], target))
      address.regs.push_back(static_cast<int64_t>(offset ^ (access.flipped & registerBits)));
    return address;
  }

  /// The same for any layout: the bits of the address fall into fields, one for each dimension and one for the problem,
  /// each with a distance of its own.
  Address laidOutAddress(const Access &access, const Mapping &mapping, const BufferMemory &buffer, const Unit &unit) {
    const std::function<uint64_t(int)> all = [&](int digit) { return access.target(digit); };
    uint64_t registerBits = 0;
    for (uint64_t bits : columnTargets(mapping[Field::Reg], all))
      registerBits |= bits;
    Type i64 = b.getI64Type();
    Value offset = constant64(0);
    for (const AddressField &field : addressFields(access, buffer.layout)) {
      auto target = [&](int digit) { return field.in(all(digit)); };
      std::vector<uint64_t> blocks = columnTargets(mapping[Field::Block], target);
      for (int rest = access.batchDigits; field.ofProblems && blocks.size() < 31; ++rest)
        blocks.push_back(uint64_t(1) << rest);
      Value index;
      for (Value part : {scatterBits(b, loc, arith::ExtUIOp::create(b, loc, i64, block), blocks),
                         scatterBits(b, loc, thread, threadTargets(mapping, target)), rankBits(mapping, target)}) {
        if (part && part.getType() != i64)
          part = arith::ExtUIOp::create(b, loc, i64, part);
        if (part)
          index = index ? arith::OrIOp::create(b, loc, index, part).getResult() : part;
      }
      if (uint64_t flip = field.in(access.flipped & ~registerBits)) {
        Value flipped = constant64(static_cast<int64_t>(flip));
        index = index ? arith::XOrIOp::create(b, loc, index, flipped).getResult() : flipped;
      }
      if (index)
        offset = arith::AddIOp::create(b, loc, offset, arith::MulIOp::create(b, loc, index, constant64(field.stride)));
    }
    Address address;
    for (Value plane : buffer.planes)
      address.bases.push_back(gep(plane, unit.type(), offset));
    for (uint64_t bits : constantTargets(mapping[Field::Reg], all))
      address.regs.push_back(buffer.layout.at(static_cast<int64_t>(bits ^ (access.flipped & registerBits))));
    return address;
  }

  Value pointerAt(const Address &address, size_t plane, size_t r, const Unit &unit) {
    if (address.regs[r] == 0)
      return address.bases[plane];
    return gep(address.bases[plane], unit.type(), constant64(address.regs[r]));
  }

  /// True when every problem of this block lies in the batch.
  Value blockIsFull(const Access &access, const Mapping &mapping) {
    auto none = [](int) -> uint64_t { return 0; };
    Value first = blockPart(mapping, none, access.batchDigits);
    Value last = arith::OrIOp::create(b, loc, first, constant64((int64_t(1) << access.batchDigits) - 1));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last, batch);
  }

  /// True when the problem of register `r` lies in the batch.
  Value inBatch(const Access &access, const Mapping &mapping, size_t r) {
    auto target = [&](int digit) { return access.batchTarget(digit); };
    Value problem = blockPart(mapping, target, access.batchDigits);
    for (Value part : {scatterBits(b, loc, thread, threadTargets(mapping, target)), rankBits(mapping, target)})
      if (part)
        problem = arith::OrIOp::create(b, loc, problem, arith::ExtUIOp::create(b, loc, b.getI64Type(), part));
    uint64_t fixed = contributionOf(columnTargets(mapping[Field::Reg], target), r);
    problem = arith::OrIOp::create(b, loc, problem, constant64(static_cast<int64_t>(fixed)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, problem, batch);
  }

  //===--- exchanges --------------------------------------------------------------------------------------------===//

  struct SharedSide {
    Value base;                 // byte offset of the thread
    uint64_t threadBits = 0;    // that the thread and its rank decide
    std::vector<uint64_t> regs; // byte offset per register
    std::map<uint64_t, Value> turned;
  };

  SharedSide sharedSide(const Mapping &mapping, const digits::SharedLayout &layout, int64_t wordBytes) {
    auto target = [&](int digit) { return uint64_t(layout.column(digit)) * wordBytes; };
    SharedSide side;
    std::vector<uint64_t> threads = threadTargets(mapping, target);
    for (uint64_t bits : threads)
      side.threadBits |= bits;
    side.base = scatterBits(b, loc, thread, threads);
    if (Value ranks = rankBits(mapping, target)) {
      for (uint64_t bits : columnTargets(mapping[Field::Rank], target))
        side.threadBits |= bits;
      side.base = side.base ? arith::XOrIOp::create(b, loc, side.base, ranks).getResult() : ranks;
    }
    if (!side.base)
      side.base = constant32(0);
    side.regs = constantTargets(mapping[Field::Reg], target);
    return side;
  }

  /// Address of register `r`'s word: the part that meets thread bits by XOR, the rest as a constant offset.
  Value sharedPointer(SharedSide &side, Value memory, size_t r) {
    uint64_t turn = side.regs[r] & side.threadBits, offset = side.regs[r] & ~side.threadBits;
    Value &base = side.turned[turn];
    if (!base) {
      Value bytes = turn ? arith::XOrIOp::create(b, loc, side.base, constant32(static_cast<int64_t>(turn))).getResult()
                         : side.base;
      base = gep(memory, b.getI8Type(), bytes);
    }
    return offset ? gep(base, b.getI8Type(), constant32(static_cast<int64_t>(offset))) : base;
  }

  Value wordOf(ArrayRef<Leaf> leaves, Type element, Type real) {
    return wordOf(pack(numbersOf(leaves, element, real), real));
  }

  /// An exchange through the memory of the block or its cluster. Elements of several words go word by word, one after
  /// another through the same memory.
  void throughMemory(id::ExchangeOp op, const Tile &tile, Tile &moved, Type real, int components) {
    auto through = [&](const Tile &from, Tile &to, int count, bool first = true) {
      if (op.getKind() == id::ExchangeKind::Shared)
        throughShared(op, from, to, real, count, first);
      else
        throughCluster(op, from, to, real, count, first);
    };
    int64_t bytes = id::elementBytes(tile.element);
    int perWord =
        static_cast<int>(std::min(bytes & -bytes, id::exchangeWordBytes(tile.element)) / id::elementBytes(real));
    if (perWord == components)
      return through(tile, moved, components);
    auto word = id::RecordType::get(b.getContext(), SmallVector<Type>(perWord, real));
    std::vector<SmallVector<Value>> numbers, received(moved.registers.size());
    for (const auto &leaves : tile.registers)
      numbers.push_back(numbersOf(leaves, tile.element, real));
    for (int first = 0; first < components; first += perWord) {
      Tile from = tile, to = moved;
      from.element = to.element = word;
      for (auto [leaves, all] : llvm::zip(from.registers, numbers))
        leaves = leavesOf(ArrayRef<Value>(all).slice(first, perWord), word);
      through(from, to, perWord, first == 0);
      for (auto [all, leaves] : llvm::zip(received, to.registers))
        llvm::append_range(all, numbersOf(leaves, word));
    }
    for (auto [leaves, all] : llvm::zip(moved.registers, received))
      leaves = leavesOf(all, tile.element);
  }

  /// Reads the tile `moved` that lies in this block's shared memory.
  void readShared(const digits::SharedLayout &layout, Tile &moved, Type real, int components, int64_t wordBytes) {
    readPlace();
    Value memory = sharedMemory(b, loc);
    SharedSide read = sharedSide(moved.mapping, layout, wordBytes);
    Type held = components == 1 ? real : Type(VectorType::get({components}, real));
    Type word = isNarrow(held) ? Type(b.getI32Type()) : held;
    for (size_t r = 0; r < moved.registers.size(); ++r) {
      Value value = LLVM::LoadOp::create(b, loc, word, sharedPointer(read, memory, r), wordBytes);
      SmallVector<Value> numbers;
      unpack(fromWord(value, held), numbers);
      moved.registers[r] = leavesOf(numbers, moved.element);
    }
  }

  /// `first`: the first word of an element; others come where threads still read the word before.
  void throughShared(id::ExchangeOp op, const Tile &tile, Tile &moved, Type real, int components, bool first) {
    digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    int64_t wordBytes = id::exchangeWordBytes(tile.element);
    Value memory = sharedMemory(b, loc);
    if (!first || meetingOf(op, beforeAttr) == id::Meeting::Block)
      blockBarrier();
    SharedSide write = sharedSide(tile.mapping, layout, wordBytes);
    for (size_t r = 0; r < tile.registers.size(); ++r)
      LLVM::StoreOp::create(b, loc, wordOf(tile.registers[r], tile.element, real), sharedPointer(write, memory, r),
                            wordBytes);
    prefetchTwiddles(op, emptyTile(op.getResult().getType()));
    loadAhead(op);
    if (meetingOf(op, betweenAttr) == id::Meeting::Warp)
      machine::WarpBarrierOp::create(b, loc);
    else
      blockBarrier();
    readShared(layout, moved, real, components, wordBytes);
  }

  /// Every word goes to the shared memory of the block whose rank it has afterwards. One cluster barrier says that all
  /// blocks are there and no longer read what lies in their memory, a second one that all words have arrived. A kernel
  /// that draws its numbers has asynchronous stores in the place of the second one.
  void throughCluster(id::ExchangeOp op, const Tile &tile, Tile &moved, Type real, int components, bool first) {
    digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    int64_t wordBytes = id::exchangeWordBytes(tile.element);
    if (arrived)
      machine::ClusterWaitOp::create(b, loc);
    if (!first || meetingOf(op, beforeAttr) == id::Meeting::Cluster) {
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
      machine::ClusterWaitOp::create(b, loc);
    }
    arrived = false;
    auto rankTarget = [&](int digit) -> uint64_t {
      for (auto [i, column] : llvm::enumerate(moved.mapping[Field::Rank]))
        if (llvm::is_contained(column.digits, digit))
          return uint64_t(1) << i;
      return 0;
    };
    Value peer = scatterBits(b, loc, thread, threadTargets(tile.mapping, rankTarget));
    if (Value own = rankBits(tile.mapping, rankTarget))
      peer = peer ? arith::XOrIOp::create(b, loc, peer, own).getResult() : own;
    std::vector<uint64_t> ranks = constantTargets(tile.mapping[Field::Reg], rankTarget);
    // One side per block that a register's word may go to: its memory, and the addresses in it.
    const SharedSide side = sharedSide(tile.mapping, layout, wordBytes);
    struct Destination {
      Value memory, barrier;
      SharedSide side;
    };
    std::map<uint64_t, Destination> destinations;
    Value memory = sharedMemory(b, loc);
    if (tickets && numSent == 0)
      tickets->sendNumber();
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      auto [found, fresh] = destinations.try_emplace(ranks[r]);
      Destination &to = found->second;
      if (fresh) {
        Value number = constant32(static_cast<int64_t>(ranks[r]));
        if (peer)
          number = ranks[r] ? arith::XOrIOp::create(b, loc, peer, number).getResult() : peer;
        else if (tickets)
          number = tickets->inRound(number);
        to.memory = peerMemory(b, loc, memory, number);
        to.barrier = tickets ? tickets->barrier(to.memory, numSent) : Value();
        to.side = side;
      }
      Value word = wordOf(tile.registers[r], tile.element, real), place = sharedPointer(to.side, to.memory, r);
      if (tickets)
        tickets->send(word, place, to.barrier);
      else
        LLVM::StoreOp::create(b, loc, word, place, wordBytes);
    }
    if (!tickets)
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
    prefetchTwiddles(op, emptyTile(op.getResult().getType()));
    loadAhead(op);
    if (tickets)
      tickets->wait(numSent++);
    else
      machine::ClusterWaitOp::create(b, loc);
    // A block waits only for what it is sent, while others may not have loaded all that it is going to overwrite.
    meetsBeforeStore = tickets && inPlace && numSent == tickets->exchanges();
    if (meetsBeforeStore)
      machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
    readShared(layout, moved, real, components, wordBytes);
  }

  void shuffle(const digits::ShufflePlan &plan, const Tile &tile, Tile &moved) {
    // Words of 32 bits, register by register.
    size_t count = moved.registers.size();
    std::vector<SmallVector<Value>> words(count);
    for (size_t r = 0; r < count; ++r) {
      size_t old = 0;
      for (auto [i, source] : llvm::enumerate(plan.registerSource))
        old |= (r >> i & 1) << source;
      words[r] = numbersOf(tile.registers[old], tile.element);
    }
    auto select = [&](const std::function<int(int)> &laneBit) {
      for (auto [r, l] : plan.swaps) {
        Value bit = arith::AndIOp::create(b, loc, thread, constant32(int64_t(1) << laneBit(l)));
        Value set = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, constant32(0));
        std::vector<SmallVector<Value>> before = words;
        for (size_t k = 0; k < count; ++k)
          for (size_t w = 0; w < words[k].size(); ++w)
            words[k][w] = arith::SelectOp::create(b, loc, set, before[k ^ (size_t(1) << r)][w], before[k][w]);
      }
    };
    select([&](int l) { return plan.laneSource[l]; });
    bool straight = true;
    std::vector<uint64_t> lanes;
    for (auto [l, source] : llvm::enumerate(plan.laneSource)) {
      straight &= source == static_cast<int>(l);
      lanes.push_back(uint64_t(1) << source);
    }
    for (size_t l = lanes.size(); l < 5; ++l)
      lanes.push_back(uint64_t(1) << l);
    Value lane = scatterBits(b, loc, arith::AndIOp::create(b, loc, thread, constant32(31)), lanes);
    for (size_t k = 0; k < count; ++k) {
      int64_t mask = 0;
      for (auto [r, l] : plan.swaps)
        if (k >> r & 1)
          mask ^= int64_t(1) << plan.laneSource[l];
      if (straight && mask == 0)
        continue;
      for (Value &word : words[k])
        word = straight ? shuffleWord(word, constant32(mask), machine::ShuffleKind::Xor)
                        : shuffleWord(word, arith::XOrIOp::create(b, loc, lane, constant32(mask)),
                                      machine::ShuffleKind::From);
    }
    select([](int l) { return l; });
    for (size_t k = 0; k < count; ++k)
      moved.registers[k] = leavesOf(words[k], tile.element);
  }

  /// The registers whose elements make word `number` of a mapping without `together`: the digits of `together`, lowest
  /// first, count them.
  static SmallVector<size_t> membersOf(const Mapping &mapping, const std::vector<int> &together, size_t number) {
    SmallVector<size_t> members(size_t(1) << together.size());
    for (auto [i, member] : llvm::enumerate(members)) {
      SmallVector<int64_t> digits;
      size_t rest = number;
      for (const digits::Column &column : mapping[Field::Reg]) {
        auto found = llvm::find(together, column.digits[0]);
        if (found != together.end()) {
          digits.push_back(static_cast<int64_t>(i >> (found - together.begin()) & 1));
          continue;
        }
        digits.push_back(static_cast<int64_t>(rest % column.radix));
        rest /= column.radix;
      }
      member = registerNumber(mapping, digits);
    }
    return members;
  }

  /// Elements that differ in the digits `together` as one of 32 bits.
  Tile packed(const Tile &tile, const std::vector<int> &together) {
    Type number;
    int count;
    id::splitNumbers(tile.element, number, count);
    Tile words = tile;
    words.mapping = tile.mapping.without(together);
    words.element = b.getI32Type();
    words.registers.assign(words.mapping.extent(Field::Reg), {});
    for (auto [r, leaves] : llvm::enumerate(words.registers)) {
      SmallVector<Value> numbers;
      for (size_t member : membersOf(tile.mapping, together, r))
        llvm::append_range(numbers, numbersOf(tile.registers[member], tile.element, number));
      Value word = LLVM::BitcastOp::create(b, loc, words.element, pack(numbers, number));
      leaves = leavesOf(word, words.element);
    }
    return words;
  }

  Tile unpacked(const Tile &words, const Mapping &mapping, const std::vector<int> &together, Type element) {
    Type number;
    int count;
    id::splitNumbers(element, number, count);
    Tile tile = words;
    tile.mapping = mapping;
    tile.element = element;
    tile.registers.assign(mapping.extent(Field::Reg), {});
    Type held = VectorType::get({count << together.size()}, number);
    for (auto [r, leaves] : llvm::enumerate(words.registers)) {
      SmallVector<Value> numbers;
      unpack(LLVM::BitcastOp::create(b, loc, held, numbersOf(leaves, words.element)[0]), numbers);
      for (auto [i, member] : llvm::enumerate(membersOf(mapping, together, r)))
        tile.registers[member] = leavesOf(ArrayRef<Value>(numbers).slice(i * count, count), element);
    }
    return tile;
  }

  static bool isNarrow(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 32; }

  /// A value as it travels between threads: numbers of 16 bits as the low half of 32.
  Value wordOf(Value value) {
    Type type = value.getType();
    if (!isNarrow(type))
      return value;
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), arith::BitcastOp::create(b, loc, bits, value));
  }
  Value fromWord(Value word, Type type) {
    if (!isNarrow(type))
      return word;
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, loc, type, arith::TruncIOp::create(b, loc, bits, word));
  }

  /// One value of at most 64 bits from another lane.
  Value shuffleWord(Value value, Value lane, machine::ShuffleKind kind) {
    Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
    auto one = [&](Value v) { return machine::ShuffleOp::create(b, loc, v.getType(), kind, v, lane); };
    if (type.isF32() || type.isInteger(32))
      return one(value);
    if (isNarrow(type))
      return fromWord(one(wordOf(value)), type);
    Value bits = type.isInteger(64) ? value : arith::BitcastOp::create(b, loc, i64, value).getResult();
    Value low = one(arith::TruncIOp::create(b, loc, i32, bits));
    Value high = one(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, bits, constant64(32))));
    Value joined = arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, high), constant64(32)),
        arith::ExtUIOp::create(b, loc, i64, low));
    return type.isInteger(64) ? joined : arith::BitcastOp::create(b, loc, type, joined).getResult();
  }
};

} // namespace

/// Bytes that a pointer of a kernel's operand (inputs, then outputs) is a multiple of.
static int64_t pointerAlignment(id::KernelOp kernel, size_t operand, int plane, const Buffer &buffer) {
  Value value = operand < kernel.getInputs().size() ? kernel.getInputs()[operand]
                                                    : kernel.getOutputs()[operand - kernel.getInputs().size()];
  return buffer.layout.pointerAlignment(
      planeBytes(cast<id::SeqType>(value.getType()).getElement(), buffer.layout, plane));
}

/// True for an argument of a kernel that may have the memory of another one, and whose loads and stores then have to
/// keep their order.
static bool mayBeEqual(const Buffer &buffer, const LoweredKernel &kernel, ArrayRef<InPlacePair> inPlace) {
  auto has = [&](Buffer::Kind kind, int index) {
    return llvm::any_of(kernel.buffers,
                        [&](const Buffer &other) { return other.kind == kind && other.index == index; });
  };
  return llvm::any_of(inPlace, [&](const InPlacePair &pair) {
    bool member = buffer.kind == Buffer::Kind::Input
                      ? buffer.index == pair.input
                      : buffer.kind == Buffer::Kind::Output && buffer.index == pair.output;
    return pair.byOrder && member && has(Buffer::Kind::Input, pair.input) && has(Buffer::Kind::Output, pair.output);
  });
}

OwningOpRef<ModuleOp> conversion::lowerToGpu(func::FuncOp function, const passes::Target &target,
                                             std::vector<LoweredKernel> &kernels) {
  MLIRContext *context = function.getContext();
  context->loadDialect<LLVM::LLVMDialect, machine::MachineDialect, gpu::GPUDialect, scf::SCFDialect,
                       arith::ArithDialect, math::MathDialect>();
  PassManager placing(context, func::FuncOp::getOperationName());
  PlaceBarriersOptions options;
  options.target = target.name;
  placing.addPass(createPlaceBarriers(options));
  if (failed(placing.run(function)))
    return {};
  FailureOr<std::vector<LoweredKernel>> lowered = assignBuffers(function, /*cpu=*/false);
  if (failed(lowered))
    return {};
  kernels = std::move(*lowered);
  const std::vector<InPlacePair> inPlace = findInPlace(function, kernels, /*cpu=*/false);
  Location loc = function.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b(context);
  gpu::GPUModuleOp gpuModule = makeKernelModule(*module);
  TwiddleTables tables(gpuModule, machine::globalSpace);
  SmallVector<std::pair<id::KernelOp, bool>> forms; // true: the second
  for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
    forms.emplace_back(kernel, false);
    if (kernel.getLaunch().getTeam() > 1)
      forms.emplace_back(kernel, true);
  }
  size_t index = 0;
  for (auto [kernel, several] : forms) {
    LoweredKernel &entry = kernels[several ? index - 1 : index++];
    if (several)
      entry.anyGrid = entry.name + "_any";
    auto pointer = LLVM::LLVMPointerType::get(context, machine::globalSpace);
    SmallVector<Type> parameters(entry.pointerCount(), pointer);
    for (const ScalarArgument &scalar : entry.scalars)
      parameters.push_back(scalar.type);
    for (bool present : {entry.hasRing(), entry.hasCounter()})
      if (present)
        parameters.push_back(pointer);
    parameters.push_back(b.getI64Type());
    b.setInsertionPointToEnd(gpuModule.getBody());
    LLVM::LLVMFuncOp func = makeKernel(b, loc, several ? entry.anyGrid : entry.name, parameters);
    unsigned argument = 0;
    for (auto [i, buffer] : llvm::enumerate(entry.buffers)) {
      // What a dependent launch reads changes while it runs: its loads must stay behind its wait.
      const bool input = i < kernel.getInputs().size();
      const bool changes = input && entry.launch.dependent && !isa<BlockArgument>(kernel.getInputs()[i]);
      for (int plane = 0; plane < buffer.planes; ++plane, ++argument) {
        func.setArgAttr(argument, "llvm.align", b.getI64IntegerAttr(pointerAlignment(kernel, i, plane, buffer)));
        if (changes || mayBeEqual(buffer, entry, inPlace))
          continue;
        func.setArgAttr(argument, "llvm.noalias", b.getUnitAttr());
        if (input)
          func.setArgAttr(argument, "llvm.readonly", b.getUnitAttr());
      }
    }
    bool equalPointers =
        llvm::any_of(entry.buffers, [&](const Buffer &buffer) { return mayBeEqual(buffer, entry, inPlace); });
    GpuEmitter emitter(b, kernel.getLoc(), tables, target, equalPointers);
    bool startsNext = index < kernels.size() && kernels[index].launch.dependent;
    if (failed(emitter.run(kernel, startsNext, several, func, entry)))
      return {};
    if (entry.sharedBytes > target.sharedBytesPerBlock) {
      kernel.emitError() << "needs " << entry.sharedBytes << " bytes of shared memory, a block of " << target.name
                         << " has " << target.sharedBytesPerBlock;
      return {};
    }
    setLaunchBounds(func, entry.threads, emitter.residentBlocks(entry, !kernel.isBinary()));
  }
  return module;
}
