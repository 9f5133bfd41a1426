#include "compiler/codegen/Compiler.h"

#include "compiler/adjoint/WriteAdjoint.h"
#include "compiler/codegen/Choices.h"
#include "compiler/codegen/ChunkPlan.h"
#include "compiler/codegen/HostManifest.h"
#include "compiler/codegen/Installation.h"
#include "compiler/codegen/LayoutOptions.h"
#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/codegen/ManifestWriter.h"
#include "compiler/codegen/Ptx.h"
#include "compiler/codegen/RingPlan.h"
#include "compiler/codegen/SharedMemoryPlan.h"
#include "compiler/codegen/Signature.h"
#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/LowerToCpu.h"
#include "compiler/conversion/LowerToGpu.h"
#include "compiler/conversion/Passes.h"
#include "compiler/frontend/ParsedOnce.h"
#include "compiler/frontend/VisibleText.h"
#include "compiler/irgen/IrGen.h"
#include "compiler/passes/Pipelines.h"
#include "compiler/passes/Schedule.h"

#include "host/NamedValues.h"
#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace idc;
using namespace idc::codegen;

static const std::pair<const char *, const char *> levels[] = {
    {"ast", "ast"},       {"id", "id.mlir"},    {"flow", "flow.mlir"}, {"stages", "stages.mlir"},
    {"gpu", "gpu.mlir"},  {"llvm", "ll"},       {"ptx", "ptx"},        {"cubin", "cubin"},
    {"fatbin", "fatbin"}, {"manifest", "json"}, {"object", "o"}};

const char *codegen::levelName(Level level) { return levels[static_cast<int>(level)].first; }
const char *codegen::levelExtension(Level level) { return levels[static_cast<int>(level)].second; }
std::optional<Level> codegen::findLevel(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(levels); ++i)
    if (name == levels[i].first)
      return static_cast<Level>(i);
  return std::nullopt;
}

// What the planners and LLVM work on for some seconds. Planners cut kernels far below: larger ones have a step that
// cannot be cut, or were asked for by a schedule.
static constexpr size_t maxSteps = 65536;
static constexpr int64_t mostDevices = 64;     // each is met by a thread, and known by pointers
static constexpr size_t maxMessageLine = 1000; // bytes
static constexpr size_t maxKernelOperations = 262144, maxOperations = 4194304;
// In one launch, of the batch together; the runtime refuses more.
static constexpr int64_t maxGridBlocks = 2147483647;
// Of one sequence; addresses are computed in 64 bits.
static constexpr int64_t maxProblemBytes = int64_t(1) << 60;

/// An error whose message has been printed with its place.
static llvm::Error reported() { return llvm::createStringError(llvm::inconvertibleErrorCode(), ""); }
static llvm::Error message(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {
/// Prints MLIR's diagnostics like the front end's, and keeps them.
class MessageRecorder : public SourceMgrDiagnosticHandler {
public:
  MessageRecorder(llvm::SourceMgr &sources, MLIRContext *context, std::vector<frontend::Diagnostics::Message> &messages)
      : SourceMgrDiagnosticHandler(sources, context, stream), messages(messages) {
    setHandler([this](mlir::Diagnostic &diagnostic) { record(diagnostic); });
  }

private:
  void record(mlir::Diagnostic &diagnostic) {
    text.clear();
    emitDiagnostic(diagnostic);
    frontend::Diagnostics::Message message;
    message.isNote = diagnostic.getSeverity() == DiagnosticSeverity::Note;
    message.text = frontend::visibleText(diagnostic.str(), maxMessageLine);
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
      message.file = frontend::visibleText(place.getFilename(), maxMessageLine);
      message.line = message.endLine = place.getLine();
      message.column = place.getColumn();
      message.endColumn = message.column + 1;
    }
    if (!text.empty())
      for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim('\n'), '\n'))
        message.rendered += frontend::visibleText(line, maxMessageLine) + "\n";
    messages.push_back(std::move(message));
  }

  std::string text;
  llvm::raw_string_ostream stream{text};
  std::vector<frontend::Diagnostics::Message> &messages;
};
} // namespace

struct Compiler::State {
  CompileRequest request;
  frontend::Diagnostics diagnostics;
  std::vector<frontend::Diagnostics::Message> laterMessages; // of MLIR's passes
  std::shared_ptr<const frontend::Source> source;
  std::optional<frontend::Program> program;
  passes::Target target;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;  // id, flow or stages
  OwningOpRef<ModuleOp> written; // id, where data lie in the host's memory and kernels are not planned yet
  Level moduleLevel = Level::Ast;
  OwningOpRef<ModuleOp> kernels;    // gpu, then in the LLVM dialect
  OwningOpRef<ModuleOp> cpuKernels; // where the CPU takes a share of chunks, in the LLVM dialect at last
  std::vector<std::shared_ptr<const frontend::Source>> otherSchedules; // a file's, or tables'
  std::optional<const frontend::ScheduleDecl *> found; // the schedule in force, once looked for; null: the planner's
  std::string scheduleOrigin, scheduleMeasured;
  std::string gpuText, llvmText, ptx, cubin;
  bool kernelsLowered = false;
  std::vector<std::vector<conversion::LoweredKernel>> launches;    // of each of kernelFunctions()
  std::vector<std::vector<conversion::LoweredKernel>> cpuLaunches; // of each of id::cpuFunctionsOf()
  std::map<std::string, KernelResources> resources;
  std::optional<CpuJit> machineCode;

  llvm::Error parse(llvm::raw_ostream &errors);
  llvm::Error chooseEntry();
  llvm::Error elaborate(llvm::raw_ostream &errors);
  llvm::Error findSchedule(llvm::raw_ostream &errors);
  llvm::Error toModule(Level level, llvm::raw_ostream &errors);
  llvm::Error distribute();
  llvm::Error useHostMemory();
  LogicalResult placeHostBuffers();
  LogicalResult toFlow(ModuleOp of);
  llvm::Error applySchedule(llvm::raw_ostream &errors);
  std::vector<std::string> tunedTables(bool there) const;
  llvm::Error toKernels(llvm::raw_ostream &errors);
  llvm::Error toLlvm(llvm::raw_ostream &errors);
  llvm::Error toCubin(llvm::raw_ostream &errors);
  std::string symbol() const;
  func::FuncOp function() { return *module->getBody()->getOps<func::FuncOp>().begin(); }
  /// Itself, or the passes of a host program.
  SmallVector<func::FuncOp> kernelFunctions() {
    SmallVector<func::FuncOp> functions = llvm::map_to_vector(id::passesOf(function()), id::functionOf);
    return functions.empty() ? SmallVector<func::FuncOp>{function()} : functions;
  }
  /// What runs on the processor of this computer: all kernels, or those of chunks; null where there is nothing.
  ModuleOp hostModule() { return target.kind == "cpu" ? *kernels : cpuKernels ? *cpuKernels : ModuleOp(); }
  std::string manifest(const std::map<std::string, KernelResources> &resources);

  /// Runs `work` with MLIR's diagnostics printed like the front end's.
  template <class Work> llvm::Error withDiagnostics(llvm::raw_ostream &errors, Work work) {
    const size_t before = laterMessages.size();
    MessageRecorder recorder(diagnostics.sources, &context, laterMessages);
    bool good = succeeded(work());
    for (size_t i = before; i < laterMessages.size(); ++i)
      errors << laterMessages[i].rendered;
    return good ? llvm::Error::success() : reported();
  }
};

Compiler::Compiler(CompileRequest request) : state(std::make_unique<State>()) {
  state->request = std::move(request);
  state->context.printOpOnDiagnostic(false); // messages are about the source
}
Compiler::~Compiler() = default;
const passes::Target &Compiler::target() const { return state->target; }
int64_t Compiler::devices() const { return state->request.devices; }

//===--- front end ----------------------------------------------------------------------------------------------===//

llvm::Error Compiler::State::parse(llvm::raw_ostream &errors) {
  if (source)
    return llvm::Error::success();
  std::string error;
  if (!passes::findTarget(request.target, target, error))
    return message(error);
  source = request.text ? frontend::parseTextOnce(*request.text, request.file, request.libraries, diagnostics)
                        : frontend::parseFileOnce(request.file, request.libraries, diagnostics);
  if (source && frontend::check(*source, diagnostics))
    return llvm::Error::success();
  source.reset();
  diagnostics.print(errors);
  return reported();
}

/// The entry that the request names, or the file's only algorithm.
llvm::Error Compiler::State::chooseEntry() {
  if (!request.entry.empty())
    return llvm::Error::success();
  const std::vector<std::string> algorithms = frontend::algorithmsOf(*source);
  if (algorithms.empty())
    return message(request.file + " has no algorithm");
  if (algorithms.size() > 1)
    return message(request.file + " has " + llvm::Twine(algorithms.size()) +
                   " algorithms; choose one with --entry: " + llvm::join(algorithms, ", "));
  request.entry = algorithms.front();
  return llvm::Error::success();
}

llvm::Error Compiler::State::elaborate(llvm::raw_ostream &errors) {
  if (program)
    return llvm::Error::success();
  if (llvm::Error error = parse(errors))
    return error;
  if (llvm::Error error = chooseEntry())
    return error;
  program = frontend::elaborate(*source, request.entry, request.sizes, request.types, diagnostics);
  if (program && !program->choices.empty()) {
    if (llvm::Error error = findSchedule(errors)) {
      program.reset();
      return error;
    }
    frontend::SizeMap sizes = request.sizes;
    if (*found) // its steps are those of its choices
      for (const frontend::ScheduleChoice &choice : (*found)->choices)
        sizes[choice.name.text] = choice.value;
    else if (request.memory || request.devices > 1)
      sizes = fastestOnLinks(request, *program);
    if (sizes != request.sizes)
      program = frontend::elaborate(*source, request.entry, sizes, request.types, diagnostics);
  }
  if (program)
    return llvm::Error::success();
  diagnostics.print(errors);
  return reported();
}

/// entry, a plan other than the usual one, then sizes and types: scan_n12_f32, scan_latency_n12_f32.
std::string Compiler::State::symbol() const {
  std::string name = program->entry;
  if (request.plan != passes::Plan::Throughput)
    name += std::string("_") + passes::planName(request.plan);
  for (const auto &[size, value] : program->sizes)
    name += "_" + size + std::to_string(value);
  for (const auto &[variable, type] : program->types)
    name += "_" + type;
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

//===--- MLIR levels --------------------------------------------------------------------------------------------===//

llvm::Error Compiler::State::toModule(Level level, llvm::raw_ostream &errors) {
  if (!module) {
    if (llvm::Error error = elaborate(errors))
      return error;
    llvm::Error error = withDiagnostics(errors, [&]() -> LogicalResult {
      module = irgen::generate(*program, diagnostics.sources, context);
      return success(static_cast<bool>(module));
    });
    if (error)
      return error;
    function().setName(symbol());
    const frontend::Function *declaration = frontend::findFunction(source->main(), request.entry);
    if (llvm::Error error = applyLayouts(request.layouts, *source, *declaration, *program, diagnostics, function())) {
      diagnostics.print(errors);
      module = {};
      return error;
    }
    if (request.inPlace && !request.memory)
      function()->setAttr(conversion::inPlaceAttr, UnitAttr::get(&context));
    if (llvm::Error error = distribute())
      return error;
    if (llvm::Error error = useHostMemory())
      return error;
    moduleLevel = Level::Id;
  }
  if (moduleLevel < Level::Flow && level >= Level::Flow) {
    if (program->steps.size() > maxSteps) {
      diagnostics.error(program->steps[maxSteps].loc, "the program has " + std::to_string(program->steps.size()) +
                                                          " steps, and kernels are made for at most " +
                                                          std::to_string(maxSteps));
      diagnostics.print(errors);
      return reported();
    }
    if (request.memory)
      written = module->clone();
    if (llvm::Error error = withDiagnostics(errors, [&] { return toFlow(*module); }))
      return error;
    moduleLevel = Level::Flow;
  }
  if (moduleLevel < Level::Stages && level >= Level::Stages) {
    if (llvm::Error error = applySchedule(errors))
      return error;
    PassManager manager(&context);
    passes::buildStagePipeline(manager, request.target, passes::planName(request.plan), request.candidate,
                               request.listed);
    manager.addNestedPass<func::FuncOp>(conversion::createPlaceDevices());
    manager.addPass(conversion::createCutPasses({request.target}));
    auto plan = [&]() -> LogicalResult {
      bool addressable = true;
      auto check = [&](mlir::Type type) {
        if (auto sequence = dyn_cast<id::SeqType>(type))
          addressable &= sequence.getNumElements() <= maxProblemBytes / id::elementBytes(sequence.getElement());
      };
      function().walk([&](Operation *op) {
        llvm::for_each(op->getOperandTypes(), check);
        llvm::for_each(op->getResultTypes(), check);
      });
      if (!addressable)
        return function().emitError(
            "the program is too large to launch: a sequence of one problem has more than 2^60 bytes");
      if (!request.memory) {
        OwningOpRef<ModuleOp> flow = request.rings ? OwningOpRef<ModuleOp>(module->clone()) : OwningOpRef<ModuleOp>();
        if (failed(planInSharedMemory(module, target, manager)))
          return failure();
        if (request.rings && !*found)
          planRings(module, *flow, target, manager);
        return success();
      }
      PassManager sharing(&context);
      sharing.addPass(conversion::createChunksOnCpu({request.target}));
      auto asGiven = [&] {
        OwningOpRef<ModuleOp> given = std::move(written);
        func::FuncOp host = *given->getOps<func::FuncOp>().begin();
        host->setAttr(id::asGivenAttr, UnitAttr::get(&context));
        if (failed(toFlow(*given)))
          return OwningOpRef<ModuleOp>();
        if (Attribute schedule = function()->getAttr("id.schedule"))
          host->setAttr("id.schedule", schedule);
        return given;
      };
      if (failed(planChunks(module, target, manager, asGiven)))
        return failure();
      if (request.inPlace)
        function()->setAttr(conversion::inPlaceAttr, UnitAttr::get(&context));
      return sharing.run(*module);
    };
    if (llvm::Error error = withDiagnostics(errors, plan))
      return error;
    moduleLevel = Level::Stages;
  }
  return llvm::Error::success();
}

LogicalResult Compiler::State::toFlow(ModuleOp of) {
  PassManager manager(&context);
  passes::buildFlowPipeline(manager, request.target);
  return manager.run(of);
}

/// Notes for how many devices the function is, and where these have its arguments and results.
llvm::Error Compiler::State::distribute() {
  if (request.devices == 1)
    return request.distributions.empty() ? llvm::Error::success()
                                         : message("only what several devices have is distributed: there is one");
  if (request.devices < 1 || request.devices > mostDevices)
    return message("a program is for 1 to " + llvm::Twine(mostDevices) + " devices, not " +
                   llvm::Twine(request.devices));
  if (target.kind == "cpu")
    return message("only GPUs are several devices: a CPU's cores share the blocks of a kernel");
  if (!request.layouts.empty() || request.inPlace)
    return message("what several devices have is dense, and results have memory of their own");
  id::setDevices(function(), request.devices);
  for (const std::string &option : request.distributions) {
    const auto [name, text] = host::namedValue(option);
    bool found = false;
    const auto attribute = StringAttr::get(&context, text);
    for (auto [i, parameter] : llvm::enumerate(program->inputs))
      if (parameter.name == name) {
        function().setArgAttr(static_cast<unsigned>(i), id::distributionAttr, attribute);
        found = true;
      }
    for (size_t i = 0; i < program->outputs.size(); ++i)
      if (name == "y" + std::to_string(i)) {
        function().setResultAttr(static_cast<unsigned>(i), id::distributionAttr, attribute);
        found = true;
      }
    if (!found || text.empty())
      return message("'" + option + "' names no input or result (y0, y1, …) and how it is distributed");
  }
  return llvm::Error::success();
}

/// Notes where data in host memory are, and how much of the device's memory they may pass through.
llvm::Error Compiler::State::useHostMemory() {
  if (request.memory == 0)
    return request.cpuShare || !request.hostLinkFile.empty()
               ? message("data of the GPU's memory take no link: --memory says what passes through it in chunks")
               : llvm::Error::success();
  if (request.memory < 0)
    return message("a program takes at least 1 byte of memory");
  if (target.kind == "cpu")
    return message("only data of GPUs pass through their memory in chunks: a CPU has the host's");
  if (request.devices > 1 || !request.layouts.empty())
    return message("what passes through memory in chunks is dense, and of one device");
  if (request.cpuShare) {
    const auto [part, parts] = *request.cpuShare;
    function()->setAttr(id::cpuShareAttr, Builder(&context).getDenseI64ArrayAttr(parts ? ArrayRef<int64_t>{part, parts}
                                                                                       : ArrayRef<int64_t>()));
  }
  if (!request.hostLinkFile.empty()) {
    auto file = llvm::MemoryBuffer::getFile(request.hostLinkFile, /*IsText=*/true);
    if (!file)
      return message(request.hostLinkFile + ": " + file.getError().message());
    passes::HostLink link;
    if (llvm::Error error = passes::readHostLink((*file)->getBuffer(), link))
      return message(request.hostLinkFile + ": " + llvm::toString(std::move(error)));
    function()->setAttr(passes::hostLinkAttr, StringAttr::get(&context, (*file)->getBuffer()));
  }
  function()->setAttr(id::memoryAttr, Builder(&context).getI64IntegerAttr(request.memory));
  return llvm::Error::success();
}

/// The tables of measured schedules that a program of a library may have: the user's for the standard library, which
/// goes before its own, and the one beside the program. Those that are there, or those that are not.
std::vector<std::string> Compiler::State::tunedTables(bool there) const {
  std::vector<std::string> tables;
  if (request.text || !request.scheduleFile.empty())
    return tables;
  llvm::StringRef file(request.file), folder = llvm::sys::path::parent_path(file);
  auto add = [&](const std::string &tuned) {
    const std::string table = tableIn(tuned, request.target, request.file);
    if (llvm::sys::fs::exists(table) == there)
      tables.push_back(table);
  };
  for (const std::string &library : request.libraries) {
    if (!llvm::sys::fs::equivalent(folder.empty() ? "." : folder, library))
      continue;
    if (const std::string own = userTables(); !own.empty() && library == standardLibrary())
      add(own);
    add(library + "/tuned");
  }
  return tables;
}

/// Looks for the schedule that the given file, the program, or a table of measured ones has for this target.
llvm::Error Compiler::State::findSchedule(llvm::raw_ostream &errors) {
  if (found)
    return llvm::Error::success();
  if (request.scheduleFile.empty() && (!request.ownSchedules || request.devices > 1 || request.memory)) {
    found = nullptr;
    return llvm::Error::success();
  }
  auto find = [&](const frontend::Source &schedules) {
    return frontend::findSchedule(schedules, *program, request.target, passes::planName(request.plan), request.sizes,
                                  diagnostics);
  };
  if (!request.scheduleFile.empty()) {
    otherSchedules.push_back(frontend::parseFileOnce(request.scheduleFile, request.libraries, diagnostics));
    found = otherSchedules.back() ? find(*otherSchedules.back()) : std::nullopt;
  } else {
    found = find(*source);
    for (const std::string &table : tunedTables(/*there=*/true)) {
      if (!found || *found)
        break;
      otherSchedules.push_back(frontend::parseFileOnce(table, request.libraries, diagnostics));
      found = otherSchedules.back() ? find(*otherSchedules.back()) : std::nullopt;
    }
  }
  if (!found) {
    diagnostics.print(errors);
    return reported();
  }
  if (!*found && !request.scheduleFile.empty())
    return message(request.scheduleFile + " has no schedule of '" + request.entry + "' for " + request.target +
                   " at these sizes");
  return llvm::Error::success();
}

/// Attaches the schedule in force, if there is one.
llvm::Error Compiler::State::applySchedule(llvm::raw_ostream &errors) {
  if (llvm::Error error = findSchedule(errors))
    return error;
  if (!*found)
    return llvm::Error::success();
  frontend::Diagnostics &log = diagnostics;
  passes::Schedule schedule;
  for (const frontend::ScheduleKernel &kernel : (*found)->kernels) {
    passes::KernelPlan plan;
    plan.launch = kernel.launch;
    plan.ring = kernel.ring;
    plan.delay = kernel.delay;
    plan.apart = kernel.apart;
    plan.order.assign(kernel.order.rbegin(), kernel.order.rend());
    for (const frontend::ScheduleRange &range : kernel.ranges) {
      passes::RangePlan entry;
      switch (range.kind) {
      case frontend::ScheduleRange::Kind::Load:
        entry.kind = passes::RangePlan::Kind::Load;
        break;
      case frontend::ScheduleRange::Kind::Steps:
        entry.kind = passes::RangePlan::Kind::Steps;
        break;
      case frontend::ScheduleRange::Kind::Join:
        entry.kind = passes::RangePlan::Kind::Join;
        break;
      case frontend::ScheduleRange::Kind::Store:
        entry.kind = passes::RangePlan::Kind::Store;
        break;
      }
      entry.first = range.first;
      entry.last = range.last;
      entry.runs = range.runs;
      entry.staged = range.staged;
      std::string error;
      if (!digits::Mapping::parse(range.mapping, {}, entry.mapping, error)) { // radices belong to the tiles
        log.error(range.range.Start, "mapping: " + error, range.range);
        log.print(errors);
        return reported();
      }
      plan.ranges.push_back(std::move(entry));
    }
    schedule.kernels.push_back(std::move(plan));
  }
  function()->setAttr("id.schedule", passes::toAttribute(schedule, &context));
  scheduleMeasured = (*found)->measured;
  llvm::SMLoc start = (*found)->range.Start;
  if (unsigned buffer = start.isValid() ? log.sources.FindBufferContainingLoc(start) : 0) {
    auto [line, column] = log.sources.getLineAndColumn(start, buffer);
    scheduleOrigin = (log.sources.getMemoryBuffer(buffer)->getBufferIdentifier() + ":" + llvm::Twine(line)).str();
    function()->setAttr("id.schedule_location",
                        LocationAttr(FileLineColLoc::get(
                            &context, log.sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line, column)));
  }
  return llvm::Error::success();
}

/// Places what the passes of a host program load and store. Kernels do not see whether that is in place.
LogicalResult Compiler::State::placeHostBuffers() {
  if (failed(conversion::placeBuffers(function(), target)))
    return failure();
  conversion::setInPlacePairs(function(), conversion::findInPlace(function(), {}, target));
  return success();
}

llvm::Error Compiler::State::toKernels(llvm::raw_ostream &errors) {
  if (kernels)
    return llvm::Error::success();
  if (llvm::Error error = toModule(Level::Stages, errors))
    return error;
  llvm::Error error = withDiagnostics(errors, [&]() -> LogicalResult {
    const SmallVector<func::FuncOp> functions = kernelFunctions();
    kernels = target.kind == "cpu"
                  ? conversion::lowerToCpu(functions, target, registerBytes(request.processor), launches)
                  : conversion::lowerToGpu(functions, target, launches);
    if (!kernels)
      return failure();
    if (const SmallVector<func::FuncOp> onCpu = id::cpuFunctionsOf(function()); !onCpu.empty()) {
      const std::optional<passes::Target> cpu = passes::findTarget("cpu", function());
      cpuKernels = cpu ? conversion::lowerToCpu(onCpu, *cpu, registerBytes(request.processor), cpuLaunches) : nullptr;
      if (!cpuKernels)
        return failure();
    }
    if (functions.front() != function() && failed(placeHostBuffers()))
      return failure();
    for (const std::vector<conversion::LoweredKernel> &own : launches)
      for (const conversion::LoweredKernel &kernel : own)
        if (kernel.blocksPerGroup > maxGridBlocks)
          return function().emitError("the program is too large to launch: one problem takes ")
                 << kernel.blocksPerGroup << " blocks, and a launch has at most " << maxGridBlocks;
    auto operationsOf = [](Operation *op) {
      size_t count = 0;
      op->walk([&](Operation *) { ++count; });
      return count;
    };
    size_t all = operationsOf(*kernels), largest = 0;
    size_t parameters = 0;
    kernels->walk([&](FunctionOpInterface kernel) {
      largest = std::max(largest, operationsOf(kernel));
      parameters = std::max<size_t>(parameters, kernel.getNumArguments());
    });
    if (parameters > passes::maxKernelParameters)
      return function().emitError("a kernel has ")
             << parameters << " parameters, more than the " << passes::maxKernelParameters << " of a launch";
    if (largest > maxKernelOperations)
      return function().emitError("a kernel has ")
             << largest << " operations, more than the " << maxKernelOperations << " that are compiled";
    if (all > maxOperations)
      return function().emitError("the kernels have ")
             << all << " operations, more than the " << maxOperations << " that are compiled";
    return success();
  });
  if (error)
    return error;
  llvm::raw_string_ostream stream(gpuText);
  kernels->print(stream);
  return llvm::Error::success();
}

//===--- back ends ----------------------------------------------------------------------------------------------===//

llvm::Error Compiler::State::toLlvm(llvm::raw_ostream &errors) {
  if (llvm::Error error = toKernels(errors))
    return error;
  if (kernelsLowered)
    return llvm::Error::success();
  llvm::Error error = withDiagnostics(errors, [&]() -> LogicalResult {
    if (failed(lowerToLlvmDialect(*kernels)) || (cpuKernels && failed(lowerToLlvmDialect(*cpuKernels))))
      return failure();
    return target.kind == "cpu" ? success() : generatePtx(*kernels, target, llvmText, ptx);
  });
  if (!error)
    kernelsLowered = true;
  return error;
}

llvm::Error Compiler::State::toCubin(llvm::raw_ostream &errors) {
  if (llvm::Error error = toLlvm(errors))
    return error;
  if (!cubin.empty())
    return llvm::Error::success();
  llvm::Expected<std::string> assembled = assemble(ptx, target.chip, resources);
  if (!assembled)
    return assembled.takeError();
  cubin = *assembled;
  return llvm::Error::success();
}

std::string Compiler::whyNoFatbin() {
  for (const char *tool : {"ptxas", "fatbinary"}) {
    llvm::Expected<std::string> path = findTool(tool);
    if (!path)
      return llvm::toString(path.takeError());
  }
  return {};
}

llvm::Expected<std::string> Compiler::adjoint(const std::vector<std::string> &withRespectTo,
                                              llvm::raw_ostream &errors) {
  State &s = *state;
  if (llvm::Error error = s.parse(errors))
    return error;
  if (llvm::Error error = s.chooseEntry())
    return error;
  std::optional<std::string> text =
      adjoint::writeAdjoint(*s.source, s.request.entry, s.request.sizes, s.request.types, withRespectTo, s.diagnostics);
  if (text)
    return *text;
  s.diagnostics.print(errors);
  return reported();
}

llvm::Expected<const frontend::Program *> Compiler::program(llvm::raw_ostream &errors) {
  if (llvm::Error error = state->elaborate(errors))
    return error;
  return &*state->program;
}

llvm::Expected<const frontend::Function *> Compiler::declaration(llvm::raw_ostream &errors) {
  if (llvm::Error error = state->elaborate(errors))
    return error;
  return frontend::findFunction(state->source->main(), state->request.entry);
}

std::vector<std::string> Compiler::files() const {
  std::vector<std::string> paths;
  if (state->source)
    for (const auto &file : state->source->files)
      paths.push_back(file->path);
  for (const std::string &file : {state->request.scheduleFile, state->request.hostLinkFile})
    if (!file.empty())
      paths.push_back(file);
  llvm::append_range(paths, state->tunedTables(/*there=*/true));
  return paths;
}

std::vector<std::string> Compiler::absentFiles() const {
  std::vector<std::string> paths = state->source ? state->source->absent : std::vector<std::string>();
  llvm::append_range(paths, state->tunedTables(/*there=*/false));
  return paths;
}

std::vector<frontend::Diagnostics::Message> Compiler::messages() const {
  std::vector<frontend::Diagnostics::Message> all = state->diagnostics.messages();
  llvm::append_range(all, state->laterMessages);
  return all;
}

llvm::Expected<LibraryInstance> Compiler::instance(const InstanceForm &form, llvm::raw_ostream &errors) {
  State &s = *state;
  LibraryInstance result;
  result.target = s.request.target;
  llvm::Expected<std::string> manifest = emit(Level::Manifest, errors);
  if (!manifest)
    return manifest.takeError();
  result.manifest = *manifest;
  result.signature = signature(*s.program, *frontend::findFunction(s.source->main(), s.request.entry), *s.source);
  const llvm::json::Value described = cantFail(llvm::json::parse(result.manifest));
  const llvm::json::Object &workspace = *described.getAsObject()->getObject("workspace");
  result.workspaceFixedBytes = *workspace.getInteger("fixedBytes");
  result.workspaceBytesPerProblem = *workspace.getInteger("bytesPerProblem");
  const bool cpu = s.target.kind == "cpu";
  if (!cpu) {
    const Level level = !whyNoFatbin().empty() ? Level::Ptx : form.laterGpus ? Level::Fatbin : Level::Cubin;
    llvm::Expected<std::string> image = emit(level, errors);
    if (!image)
      return image.takeError();
    result.image = std::move(*image);
  }
  if (ModuleOp module = s.hostModule()) {
    llvm::Expected<std::string> object =
        hostKernels(module, form.prefix, s.request.processor,
                    s.request.processor == Processor::Common ? Visibility::Inside : Visibility::Everywhere);
    if (!object)
      return object.takeError();
    result.object = std::move(*object);
    for (const auto &kernels : cpu ? s.launches : s.cpuLaunches)
      for (const conversion::LoweredKernel &kernel : kernels)
        result.kernels.push_back(form.prefix + kernel.name);
  }
  return result;
}

bool Compiler::sharesWithCpu() const { return static_cast<bool>(state->cpuKernels); }

llvm::Expected<const CpuJit *> Compiler::jit(llvm::raw_ostream &errors) {
  if (llvm::Error error = state->toLlvm(errors))
    return error;
  if (!state->hostModule())
    return message("machine code for this computer needs the target cpu, not " + state->request.target);
  if (!state->machineCode) {
    llvm::Expected<CpuJit> compiled = CpuJit::compile(state->hostModule());
    if (!compiled)
      return compiled.takeError();
    state->machineCode.emplace(std::move(*compiled));
  }
  return &*state->machineCode;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string Compiler::State::manifest(const std::map<std::string, KernelResources> &resources) {
  const frontend::Program &program = *this->program;
  func::FuncOp function = this->function();
  const std::string &target = request.target;
  ManifestInfo info;
  info.entry = program.entry;
  info.symbol = symbol();
  info.target = target;
  info.plan = passes::planName(request.plan);
  info.sizes = program.sizes;
  info.types = program.types;
  info.devices = id::devicesOf(function);
  auto array = [&](const std::string &name, int value, id::SeqType sequence) {
    return ManifestArray{name, frontend::spellStructure(*program.values[value].element),
                         id::elementBytes(sequence.getElement()), sequence.getNumElements()};
  };
  auto layOut = [&](ManifestArray &array, int value, const digits::ArrayLayout &layout, bool isOutput) {
    array.layout = layout;
    array.isOutput = isOutput;
    const auto sequence = isOutput ? id::resultArray(function, static_cast<unsigned>(info.outputs.size()) - 1)
                                   : id::argumentArray(function, static_cast<unsigned>(info.inputs.size()) - 1);
    if (target == "cpu") // wide accesses need not be aligned
      for (Type number : conversion::numberTypes(sequence.getElement()))
        array.alignment = std::max(array.alignment, id::elementBytes(number));
    if (!layout.planar)
      return;
    const frontend::TypeRef &element = program.values[value].element;
    std::vector<std::string> names = frontend::leafNames("", *element);
    for (auto [name, leaf] : llvm::zip(names, frontend::leaves(element))) {
      llvm::StringRef field = llvm::StringRef(name).ltrim('.');
      if (leaf->kind != frontend::Type::Kind::Complex)
        array.planes.emplace_back(field.str(), 0);
      else
        for (const char *part : {"re", "im"})
          array.planes.emplace_back((field + (field.empty() ? "" : ".") + part).str(), 0);
    }
    for (auto [i, plane] : llvm::enumerate(array.planes))
      plane.second = conversion::planeBytes(sequence.getElement(), layout, static_cast<int>(i));
  };
  for (auto [i, parameter] : llvm::enumerate(program.inputs)) {
    info.inputs.push_back(
        array(parameter.name, parameter.value, id::argumentArray(function, static_cast<unsigned>(i))));
    layOut(info.inputs.back(), parameter.value, conversion::argumentLayout(function, static_cast<int>(i)), false);
    divide(info.inputs.back(), function.getArgument(static_cast<unsigned>(i)).getType(),
           id::argumentDeviceDigits(function, static_cast<int>(i)));
  }
  if (auto types = function->getAttrOfType<ArrayAttr>("id.scalars"))
    for (auto [scalar, type] : llvm::zip(program.scalars, types.getAsValueRange<TypeAttr>()))
      info.scalars.push_back(
          {scalar.name, frontend::spellStructure(*scalar.type), id::elementBytes(type), scalar.required});
  for (auto [i, value] : llvm::enumerate(program.outputs)) {
    info.outputs.push_back(array("y" + std::to_string(i), value, id::resultArray(function, static_cast<unsigned>(i))));
    layOut(info.outputs.back(), value, conversion::resultLayout(function, static_cast<int>(i)), true);
    divide(info.outputs.back(), function.getResultTypes()[i], id::resultDeviceDigits(function, static_cast<int>(i)));
  }
  for (const conversion::InPlacePair &pair : conversion::inPlacePairs(function))
    info.outputs[pair.output].inPlace.push_back(pair.input);
  addPasses(function, launches, cpuLaunches, info);
  return writeManifest(info, launches.front(), resources);
}

llvm::Expected<std::string> Compiler::emit(Level level, llvm::raw_ostream &errors) {
  State &s = *state;
  auto unless = [&](llvm::Error error, const std::string &text) -> llvm::Expected<std::string> {
    if (error)
      return error;
    return text;
  };
  switch (level) {
  case Level::Ast:
    if (llvm::Error error = s.parse(errors))
      return error;
    return frontend::printAst(*s.source);
  case Level::Id:
  case Level::Flow:
  case Level::Stages:
    // A lower level consumes the one above: a level that is asked for again has been kept by the caller.
    if (s.moduleLevel > level)
      return message(llvm::Twine("level ") + levelName(level) + " must be emitted before lower ones");
    if (llvm::Error error = s.toModule(level, errors))
      return error;
    return print(*s.module);
  case Level::Gpu:
    return unless(s.toKernels(errors), s.gpuText);
  case Level::Llvm:
    if (llvm::Error error = s.toLlvm(errors))
      return error;
    if (s.target.kind == "cpu")
      return hostLlvmIr(*s.kernels);
    return s.llvmText;
  case Level::Ptx:
  case Level::Cubin:
  case Level::Fatbin:
    if (llvm::Error error = s.parse(errors))
      return error;
    if (s.target.kind == "cpu")
      return message(llvm::Twine("the cpu target has no ") + levelName(level));
    if (llvm::Error error = level == Level::Ptx ? s.toLlvm(errors) : s.toCubin(errors))
      return error;
    if (level == Level::Fatbin)
      return makeFatbin(s.cubin, s.ptx, s.target.chip);
    return level == Level::Ptx ? s.ptx : s.cubin;
  case Level::Manifest: {
    if (llvm::Error error = s.toLlvm(errors))
      return error;
    // Registers are known where ptxas is; a manifest without them is whole all the same.
    if (s.target.kind != "cpu" && whyNoFatbin().empty())
      if (llvm::Error error = s.toCubin(errors))
        return error;
    return s.manifest(s.resources);
  }
  case Level::Object:
    if (llvm::Error error = s.toLlvm(errors))
      return error;
    return s.hostModule() ? hostKernels(s.hostModule(), "", Processor::Common, Visibility::Everywhere)
                          : message("an object is of kernels for the CPU: the target cpu, or a share of chunks");
  }
  llvm_unreachable("all levels covered");
}

llvm::Expected<std::string> Compiler::launches(llvm::raw_ostream &errors) {
  State &s = *state;
  if (llvm::Error error = s.toKernels(errors))
    return error;
  return s.manifest({});
}

llvm::Expected<func::FuncOp> Compiler::stages(llvm::raw_ostream &errors) {
  if (llvm::Error error = state->toModule(Level::Stages, errors))
    return error;
  return state->function();
}

std::vector<passes::CandidateList> Compiler::candidates() const {
  auto listed = state->function()->getAttrOfType<ArrayAttr>(passes::candidatesAttr);
  return listed ? passes::candidatesFrom(listed) : std::vector<passes::CandidateList>();
}

std::string Compiler::place(llvm::SMLoc location) const {
  const llvm::SourceMgr &sources = state->diagnostics.sources;
  const unsigned buffer = location.isValid() ? sources.FindBufferContainingLoc(location) : 0;
  if (buffer == 0)
    return {};
  return (sources.getMemoryBuffer(buffer)->getBufferIdentifier() + ":" +
          llvm::Twine(sources.FindLineNumber(location, buffer)))
      .str();
}

std::string Compiler::scheduleOrigin() const { return state->scheduleOrigin; }

std::string Compiler::scheduleMeasured() const { return state->scheduleMeasured; }

llvm::Expected<std::string> Compiler::schedule(llvm::raw_ostream &errors) {
  State &s = *state;
  if (llvm::Error error = s.toModule(Level::Stages, errors))
    return error;
  passes::Schedule schedule;
  std::string error;
  if (!passes::fromAttribute(s.function()->getAttrOfType<ArrayAttr>("id.schedule"), {}, schedule, error))
    return message(error);
  std::string condition;
  for (const auto &[size, value] : s.program->sizes)
    condition += (condition.empty() ? "" : " && ") + size + " == " + std::to_string(value);
  for (const auto &[variable, type] : s.program->types)
    condition += (condition.empty() ? "" : " && ") + variable + " == " + type;
  std::string target = s.request.target;
  if (s.request.plan != passes::Plan::Throughput)
    target += std::string(" plan ") + passes::planName(s.request.plan);
  std::vector<std::pair<std::string, int64_t>> choices;
  for (const frontend::Choice &choice : s.program->choices)
    if (choice.value != choice.fallback)
      choices.push_back({choice.name, choice.value});
  return passes::printSchedule(schedule, s.program->entry, target, condition, choices);
}
