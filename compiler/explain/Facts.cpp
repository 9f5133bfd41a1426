#include "compiler/explain/Facts.h"

#include "compiler/conversion/TileBlocks.h"
#include "compiler/conversion/addresses/Access.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/TileMappings.h"

#include "id/Chunks.h"
#include "id/Devices.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace idc;
using namespace idc::explain;
using digits::Field;
using digits::Mapping;

namespace {

constexpr int64_t warpLanes = 32;

/// The mapping with a warp's threads in `lane` and the others of the block in `warp`; nothing where a warp's are no
/// digits of it. Where no field of threads holds anything, these are numbered by `block`.
std::optional<Mapping> byWarps(Mapping mapping, int64_t threads) {
  bool oneThread = mapping.threads().empty();
  std::vector<digits::Column> columns = oneThread ? mapping[Field::Block] : mapping.threads();
  mapping[Field::Lane].clear();
  mapping[Field::Warp].clear();
  int64_t lanes = 1;
  size_t next = 0;
  for (; next < columns.size() && lanes < warpLanes; ++next) {
    mapping[Field::Lane].push_back(columns[next]);
    lanes *= columns[next].radix;
  }
  // Fewer are whole only where they are all of the block.
  if (lanes != warpLanes && (lanes > warpLanes || oneThread || lanes != threads))
    return std::nullopt;
  // Other warps do the same at other addresses; what the blocks of one-thread numbers do is theirs alone.
  for (; next < columns.size() && !oneThread; ++next)
    mapping[Field::Warp].push_back(columns[next]);
  mapping[Field::Block].clear();
  return mapping;
}

/// The digits of a tile by the addresses of a buffer: tile digit d is digit map.source(d) of what is loaded.
std::vector<int> loadOrder(const digits::Permutation &map, int bufferDigits) {
  std::vector<int> order(bufferDigits);
  for (int digit = 1; digit <= map.size(); ++digit)
    if (map.source(digit) <= bufferDigits)
      order[map.source(digit) - 1] = digit;
  return order;
}

std::vector<int> storeOrder(const digits::Permutation &map) {
  std::vector<int> order;
  for (int place = 1; place <= map.size(); ++place)
    order.push_back(map.source(place));
  return order;
}

/// The bytes of a buffer, or of the parts of it that there are, that a load of a view of it reads.
int64_t bytesRead(mlir::Value view) {
  int64_t bytes = passes::sequenceBytes(view.getType());
  while (mlir::isa_and_nonnull<id::PartOp, id::PermuteOp, id::ResizeOp, id::GatherOp>(view.getDefiningOp())) {
    view = view.getDefiningOp()->getOperand(0);
    bytes = std::min(bytes, passes::sequenceBytes(view.getType()));
  }
  return bytes;
}

/// The same of what a store writes: less where the result of the kernel has fewer elements.
int64_t bytesWritten(mlir::Value stored) {
  int64_t bytes = passes::sequenceBytes(stored.getType());
  while (stored.hasOneUse() &&
         mlir::isa<id::JoinOp, id::PermuteOp, id::ResizeOp, id::ScatterOp>(*stored.user_begin())) {
    stored = (*stored.user_begin())->getResult(0);
    bytes = std::min(bytes, passes::sequenceBytes(stored.getType()));
  }
  return bytes;
}

/// What kernels' results are joined to has the memory, and the name, of all of them.
void nameParts(mlir::Value value, const std::string &name, llvm::DenseMap<mlir::Value, std::string> &names) {
  names[value] = name;
  if (auto join = value.getDefiningOp<id::JoinOp>())
    for (mlir::Value part : join.getParts())
      nameParts(part, name, names);
}

class KernelFacts {
public:
  KernelFacts(Kernel &kernel, id::KernelOp op, const passes::Target &target) : kernel(kernel), op(op), target(target) {}

  /// What the block arguments and the yielded buffers are called.
  void gather(llvm::ArrayRef<std::string> inputs, llvm::ArrayRef<std::string> outputs) {
    mlir::Block &body = op.getBody().front();
    for (auto [argument, name] : llvm::zip(body.getArguments(), inputs))
      names[argument] = name;
    for (auto [value, name] : llvm::zip(body.getTerminator()->getOperands(), outputs))
      nameStored(value, name);
    for (auto [number, each] : llvm::enumerate(body)) {
      numbers[&each] = static_cast<unsigned>(number);
      visit(each);
    }
  }

private:
  Kernel &kernel;
  id::KernelOp op;
  const passes::Target &target;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers; // in the body

  Tile tileOf(mlir::Value value) const {
    auto type = mlir::dyn_cast<id::TileType>(value.getType());
    if (!type)
      return {};
    return {numbers.lookup(value.getDefiningOp()), {type.getRadices().begin(), type.getRadices().end()}};
  }

  /// What joins and views make a result of has its name.
  void nameStored(mlir::Value value, const std::string &name) {
    names[value] = name;
    mlir::Operation *made = value.getDefiningOp();
    if (mlir::isa_and_nonnull<id::JoinOp, id::PermuteOp, id::ResizeOp, id::ScatterOp>(made))
      for (mlir::Value operand : made->getOperands())
        nameStored(operand, name);
  }

  /// True for what is stored in a ring.
  static bool isStoredToRing(mlir::Value buffer) {
    while (buffer.hasOneUse() &&
           mlir::isa<id::JoinOp, id::PermuteOp, id::ResizeOp, id::ScatterOp>(*buffer.user_begin()))
      buffer = (*buffer.user_begin())->getResult(0);
    return llvm::any_of(buffer.getUsers(), llvm::IsaPred<id::RingOp>);
  }

  std::string nameOf(mlir::Value buffer) {
    auto found = names.find(buffer);
    if (found == names.end())
      found = names.find(id::rootOf(buffer));
    return found != names.end() ? found->second : "the ring";
  }

  void visit(mlir::Operation &each) {
    if (auto load = mlir::dyn_cast<id::LoadOp>(each)) {
      const digits::Permutation map = load.getMap().getPermutation();
      mlir::Value buffer = load.getBuffer();
      const int held = load.getBuffer().getType().getNumDigits();
      Access access = accessOf(load.getResult(), buffer, bytesRead(buffer));
      if (id::isLoadable(buffer)) {
        access.order = loadOrder(map, held);
        auto lowered = conversion::loadAccess(access.mapping, map, held, maxVector(load.getResult().getType()));
        count(access, load.getResult().getType(), lowered.vectorBits);
      }
      access.staysInCache = id::rootOf(buffer).getDefiningOp<id::RingOp>() != nullptr;
      access.reach = conversion::reachOf(load);
      access.crossing = crossingOf(load);
      add(std::move(access));
    } else if (auto store = mlir::dyn_cast<id::StoreOp>(each)) {
      const digits::Permutation map = store.getMap().getPermutation();
      Access access = accessOf(store.getTile(), store.getBuffer(), bytesWritten(store.getBuffer()));
      access.isStore = true;
      bool whole = llvm::all_of(store.getBuffer().getUsers(), llvm::IsaPred<id::YieldOp>);
      if (whole || llvm::any_of(store.getBuffer().getUsers(), llvm::IsaPred<id::RingOp>)) {
        access.order = storeOrder(map);
        auto lowered = conversion::storeAccess(access.mapping, map, maxVector(store.getTile().getType()));
        count(access, store.getTile().getType(), lowered.vectorBits);
      }
      access.staysInCache = isStoredToRing(store.getBuffer());
      access.reach = conversion::reachOf(store);
      access.crossing = crossingOf(store);
      add(std::move(access));
    } else if (auto exchange = mlir::dyn_cast<id::ExchangeOp>(each)) {
      Exchange facts;
      facts.kind = id::stringifyExchangeKind(exchange.getKind()).str();
      facts.source = exchange.getInput().getType().getMapping();
      facts.target = exchange.getResult().getType().getMapping();
      if (auto layout = exchange.getLayout()) {
        passes::ExchangeSides sides = passes::sidesOf(exchange);
        facts.conflicts = passes::countConflicts(sides, layout->getLayout());
        facts.words = layout->getWords();
        facts.wordBytes = sides.wordBytes;
        if (!exchange.isComputed())
          facts.shared = SharedWords{std::move(sides), layout->getLayout()};
      }
      facts.tile = tileOf(exchange.getResult());
      kernel.events.emplace_back(std::move(facts));
    } else if (auto node = mlir::dyn_cast<id::NodeOp>(each)) {
      std::vector<std::string> digits;
      for (int64_t digit : node.getDigits())
        digits.push_back(std::to_string(digit));
      std::string name = llvm::join(digits, ", ");
      // The arrangement that has all digits is an operand's, or, where the node inserts them, a result's.
      bool removes = node.getInputs().front().getType() != node.getOutputs().front().getType();
      mlir::Type full = node.getInputs().front().getType();
      if (removes && id::radicesOf(full).size() < id::radicesOf(node.getOutputs().front().getType()).size())
        full = node.getOutputs().front().getType();
      addStep(each, full, "node " + (digits.size() > 1 ? "(" + name + ")" : name));
    } else if (mlir::isa<id::TwiddleOp>(each)) {
      addStep(each, each.getResult(0).getType(), "twiddle");
    } else if (mlir::isa<id::PointwiseOp>(each)) {
      addStep(each, each.getResult(0).getType(), "pointwise");
    }
  }

  conversion::Crossing crossingOf(mlir::Operation *access) const {
    return target.link ? conversion::crossingOf(access, target.link->devices) : conversion::Crossing();
  }

  Access accessOf(mlir::TypedValue<id::TileType> tile, mlir::Value buffer, int64_t bytes) {
    Access access;
    access.buffer = nameOf(buffer);
    access.mapping = tile.getType().getMapping();
    access.bytes = bytes;
    access.tile = tileOf(tile);
    return access;
  }

  int64_t maxVector(id::TileType tile) {
    int64_t bytes = id::elementBytes(tile.getElement());
    return std::max<int64_t>(1, target.vectorBytes / (bytes & -bytes));
  }

  /// Runs of a block and sectors of a warp.
  void count(Access &access, id::TileType tile, const std::vector<int> &vectorBits) {
    int64_t bytes = id::elementBytes(tile.getElement());
    std::optional<Mapping> mapping = byWarps(access.mapping, kernel.threads);
    if (!mapping)
      return;
    // The registers of one wide access come first.
    std::vector<digits::Column> registers;
    for (int bit : vectorBits)
      registers.push_back((*mapping)[Field::Reg][bit]);
    for (auto [position, column] : llvm::enumerate((*mapping)[Field::Reg]))
      if (!llvm::is_contained(vectorBits, static_cast<int>(position)))
        registers.push_back(column);
    (*mapping)[Field::Reg] = registers;
    // Blocks whose number a thread is do not share addresses with the next warp's.
    digits::AddressOrder order = access.order;
    int digits = tile.getNumDigits();
    for (int digit : mapping->digits())
      if (digit > digits) // batch digits lie above
        order.push_back(digit);
    access.count = digits::countAccess(*mapping, order, bytes, static_cast<int>(vectorBits.size()));
    bool placed = llvm::none_of(mapping->columns, [](const auto &field) {
      return llvm::any_of(field, [](const digits::Column &column) { return column.digits.size() != 1; });
    });
    // The blocks of a cluster run together: what they touch meets in the cache.
    for (const digits::Column &column : (*mapping)[Field::Rank])
      (*mapping)[Field::Warp].push_back(column);
    if (id::areBits(tile.getRadices()) && placed)
      access.runBytes = passes::TileMappings::runOfBlock(*mapping, {order, bytes});
  }

  void add(Access access) {
    kernel.movedBytes += access.bytes;
    kernel.events.emplace_back(std::move(access));
  }

  void addStep(mlir::Operation &op, mlir::Type type, std::string step) {
    auto tile = mlir::dyn_cast<id::TileType>(type);
    Mapping mapping = tile ? tile.getMapping() : Mapping();
    Stage *last = kernel.events.empty() ? nullptr : std::get_if<Stage>(&kernel.events.back());
    if (!last)
      last = &std::get<Stage>(kernel.events.emplace_back(Stage{mapping, {}, {}}));
    last->steps.push_back(std::move(step));
    last->tile = tileOf(op.getResult(0));
  }
};

/// A lower bound of the time of a kernel over that of copying `leastBytes`: its accesses by the lengths of their runs,
/// and what the exchange between the blocks of a cluster costs.
double predict(const Kernel &kernel, const passes::Target &target, int64_t leastBytes) {
  double bytes = 0;
  bool betweenBlocks = false;
  for (const Event &event : kernel.events) {
    if (const auto *access = std::get_if<Access>(&event)) {
      const passes::RunCosts &costs = access->isStore ? target.storeRunCost : target.loadRunCost;
      bool whole = access->runBytes == 0 || access->runBytes >= access->bytes; // neighbouring problems follow
      double cost = whole ? 1 : costs.at(access->runBytes, access->bytes);
      bytes += static_cast<double>(access->bytes) * cost;
    }
    if (const auto *exchange = std::get_if<Exchange>(&event))
      betweenBlocks |= exchange->kind == "cluster";
  }
  double cost = betweenBlocks ? passes::costAt(target.clusterCost, kernel.cluster) : 1;
  return cost * bytes / static_cast<double>(leastBytes);
}

std::vector<Array> arraysOf(const llvm::json::Array *listed) {
  std::vector<Array> arrays;
  for (const llvm::json::Value &value : *listed) {
    const llvm::json::Object &array = *value.getAsObject();
    arrays.push_back({array.getString("name")->str(), array.getString("type")->str(), *array.getInteger("elements"),
                      *array.getInteger("elementBytes")});
  }
  return arrays;
}

/// Launch, resources and name of a kernel as its manifest has them.
Kernel launchOf(const llvm::json::Object &listed, const passes::Target &target) {
  Kernel kernel;
  kernel.name = listed.getString("name")->str();
  kernel.threads = *listed.getInteger("threads");
  kernel.cluster = *listed.getInteger("cluster");
  kernel.problems = *listed.getInteger("problemsPerBlockGroup");
  kernel.blocks = *listed.getInteger("blocksPerGroup");
  kernel.sharedBytes = *listed.getInteger("sharedBytes");
  if (std::optional<int64_t> registers = listed.getInteger("registers")) {
    kernel.registers = registers;
    kernel.spillBytes = listed.getInteger("spillBytes");
    kernel.residentBlocks =
        target.residentBlocksOfWarps(kernel.threads, std::max<int64_t>(1, *registers), kernel.sharedBytes);
  }
  return kernel;
}

} // namespace

int64_t Tile::elements() const {
  int64_t all = 1;
  for (int radix : radices)
    all *= radix;
  return all;
}

StepSource explain::sourceOf(const frontend::Step &step, const codegen::Compiler &compiler) {
  StepSource source{compiler.place(step.loc), {}};
  if (step.stage.isValid()) {
    const char *begin = step.stage.Start.getPointer(), *end = step.stage.End.getPointer();
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(llvm::StringRef(begin, static_cast<size_t>(end - begin)), words, " \t\r\n");
    source.text = llvm::join(words, " ");
  }
  if (!step.iteration.empty())
    source.text += (source.text.empty() ? "" : ", ") + step.iteration;
  return source;
}

namespace {

/// Describes kernels one after another, and names the values between them.
class KernelList {
public:
  KernelList(Facts &facts, const passes::Target &target, llvm::DenseMap<mlir::Value, std::string> &names)
      : facts(facts), target(target), names(names) {}

  void add(mlir::func::FuncOp function, const llvm::json::Array &described) {
    llvm::json::Array launches;
    for (const llvm::json::Value &launch : described)
      if (isMeeting(launch))
        ++facts.meetings;
      else
        launches.push_back(launch);
    for (auto [op, launch] : llvm::zip(function.getOps<id::KernelOp>(), launches)) {
      std::vector<std::string> inputs, outputs;
      for (mlir::Value input : op.getInputs())
        inputs.push_back(names[input]);
      for (mlir::Value output : op.getOutputs())
        outputs.push_back(nameOf(output));
      Kernel kernel = launchOf(*launch.getAsObject(), target);
      kernel.launch = op.getLaunch().getLaunch().str();
      kernel.isPersistent = op.getLaunch().getLaunch().persistent;
      kernel.team = op.getLaunch().getLaunch().team;
      kernel.isDivided = id::extentOf(op, digits::Field::Device) > 1;
      KernelFacts(kernel, op, target).gather(inputs, outputs);
      kernel.predicted = predict(kernel, target, std::max<int64_t>(1, facts.leastBytes));
      facts.movedBytes += kernel.movedBytes;
      // The tables of costs are of full batches.
      if (facts.plan == passes::planName(passes::Plan::Throughput))
        facts.predicted += kernel.predicted;
      facts.kernels.push_back(std::move(kernel));
    }
  }

  void addPass(mlir::func::CallOp call, const llvm::json::Object &described) {
    mlir::func::FuncOp function = id::functionOf(call);
    DataPass pass;
    pass.chunks = id::devicesOf(function);
    pass.firstKernel = facts.kernels.size();
    pass.seconds = id::secondsOf(function);
    pass.cpuChunks = id::cpuChunksOf(function);
    if (mlir::func::FuncOp onCpu = id::onCpuOf(function))
      pass.cpuKernels = llvm::to_vector(onCpu.front().getOps<id::KernelOp>()).size();
    for (auto [argument, value] : llvm::zip(function.getArguments(), call.getOperands()))
      names[argument] = names[value];
    for (auto [made, value] : llvm::zip(function.front().getTerminator()->getOperands(), call.getResults()))
      nameParts(made, nameOf(value), names);
    // Constants are arguments that the manifest does not have; they come last.
    for (auto [array, value] : llvm::zip(*described.getArray("inputs"), call.getOperands()))
      pass.in.push_back(chunksOf(*array.getAsObject(), names[value]));
    for (auto [array, value] : llvm::zip(*described.getArray("outputs"), call.getResults()))
      pass.out.push_back(chunksOf(*array.getAsObject(), names[value]));
    add(function, *described.getArray("kernels"));
    pass.kernels = facts.kernels.size() - pass.firstKernel;
    facts.passes.push_back(std::move(pass));
  }

private:
  /// Those in which several devices meet do nothing else.
  static bool isMeeting(const llvm::json::Value &launch) {
    const llvm::json::Array &arguments = *launch.getAsObject()->getArray("args");
    return arguments.front().getAsObject()->get("meeting") != nullptr;
  }

  const std::string &nameOf(mlir::Value value) {
    std::string &name = names[value];
    if (name.empty())
      name = "v" + std::to_string(++between);
    return name;
  }

  static Chunks chunksOf(const llvm::json::Object &array, const std::string &name) {
    const int64_t elementBytes = *array.getInteger("elementBytes");
    Chunks chunks{name, *array.getInteger("elements") * elementBytes, 0};
    chunks.rowBytes = chunks.bytes;
    chunks.isReached = array.getObject("host")->getBoolean("reached").value_or(false);
    if (const llvm::json::Array *digits = array.getArray("devices"))
      for (const llvm::json::Value &digit : *digits)
        chunks.rowBytes = std::min(chunks.rowBytes, *digit.getAsObject()->getInteger("below") * elementBytes);
    return chunks;
  }

  Facts &facts;
  const passes::Target &target;
  llvm::DenseMap<mlir::Value, std::string> &names;
  int between = 0;
};

} // namespace

llvm::Expected<Facts> explain::gather(codegen::Compiler &compiler, llvm::raw_ostream &errors, Assembler assembler) {
  llvm::Expected<std::string> manifestText =
      assembler == Assembler::Used ? compiler.emit(codegen::Level::Manifest, errors) : compiler.launches(errors);
  if (!manifestText)
    return manifestText.takeError();
  llvm::Expected<mlir::func::FuncOp> function = compiler.stages(errors);
  if (!function)
    return function.takeError();
  llvm::Expected<const frontend::Program *> program = compiler.program(errors);
  if (!program)
    return program.takeError();
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*manifestText);
  if (!parsed)
    return parsed.takeError();
  const llvm::json::Object &manifest = *parsed->getAsObject();

  Facts facts;
  facts.program = *program;
  for (const frontend::Step &step : (*program)->steps)
    facts.stepSources.push_back(sourceOf(step, compiler));
  facts.symbol = manifest.getString("symbol")->str();
  facts.target = manifest.getString("target")->str();
  facts.plan = manifest.getString("plan")->str();
  facts.schedule = compiler.scheduleOrigin().empty() ? "the planner's" : compiler.scheduleOrigin();
  facts.measured = compiler.scheduleMeasured();
  facts.candidates = compiler.candidates();
  facts.inputs = arraysOf(manifest.getArray("inputs"));
  facts.outputs = arraysOf(manifest.getArray("outputs"));
  facts.workspaceBytes = *manifest.getObject("workspace")->getInteger("bytesPerProblem");
  facts.workspaceFixedBytes = *manifest.getObject("workspace")->getInteger("fixedBytes");
  for (const std::vector<Array> *arrays : {&facts.inputs, &facts.outputs})
    for (const Array &array : *arrays)
      facts.leastBytes += array.elements * array.elementBytes;

  llvm::DenseMap<mlir::Value, std::string> names;
  for (auto [argument, array] : llvm::zip(function->getArguments(), facts.inputs))
    names[argument] = array.name;
  for (auto [value, array] : llvm::zip(function->front().getTerminator()->getOperands(), facts.outputs))
    nameParts(value, array.name, names);
  KernelList list(facts, compiler.target(), names);
  facts.devices = manifest.getInteger("devices").value_or(1);
  facts.memoryBytes = manifest.getInteger("memory").value_or(0);
  facts.sharesWithCpu = (*function)->hasAttr(id::cpuShareAttr);
  if (facts.memoryBytes)
    for (auto [call, described] : llvm::zip(id::passesOf(*function), *manifest.getArray("passes")))
      list.addPass(call, *described.getAsObject());
  else
    list.add(*function, *manifest.getArray("kernels"));
  return facts;
}

std::string explain::spell(const std::vector<std::string> &steps) {
  std::vector<std::string> nodes, words;
  size_t twiddles = 0, pointwise = 0;
  for (llvm::StringRef step : steps) {
    if (step.consume_front("node "))
      nodes.push_back(step.str());
    twiddles += step == "twiddle";
    pointwise += step == "pointwise";
  }
  auto counted = [&](size_t count, const std::string &one) {
    if (count)
      words.push_back(std::to_string(count) + " " + one + (count == 1 ? "" : "s"));
  };
  if (!nodes.empty())
    words.push_back((nodes.size() == 1 ? "node " : "nodes ") + llvm::join(nodes, " "));
  counted(twiddles, "twiddle");
  counted(pointwise, "pointwise step");
  return llvm::join(words, ", ");
}
