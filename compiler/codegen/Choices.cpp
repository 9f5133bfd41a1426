#include "compiler/codegen/Choices.h"

#include "compiler/conversion/Peers.h"

#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <set>

using namespace idc;
using namespace idc::codegen;
using frontend::Choice;

static std::vector<Choice> openChoices(const CompileRequest &request, const frontend::Program &program) {
  std::vector<Choice> open;
  for (const Choice &choice : program.choices)
    if (!request.sizes.count(choice.name))
      open.push_back(choice);
  return open;
}

/// The next combination of values, the first choice fastest; false after the last one.
static bool advance(const std::vector<Choice> &choices, std::vector<int64_t> &values) {
  for (auto [choice, value] : llvm::zip(choices, values)) {
    if (value < choice.high) {
      ++value;
      return true;
    }
    value = choice.low;
  }
  return false;
}

std::vector<CompileRequest> codegen::waysOf(const CompileRequest &request, const frontend::Program &program,
                                            size_t tried) {
  const std::vector<Choice> open = openChoices(request, program);
  if (open.empty())
    return {request};
  std::vector<CompileRequest> ways;
  std::set<std::string> programs;
  std::vector<int64_t> values;
  auto add = [&] {
    CompileRequest way = request;
    for (auto [choice, value] : llvm::zip(open, values))
      way.sizes[choice.name] = value;
    Compiler compiler(way);
    llvm::Expected<const frontend::Program *> program = compiler.program(llvm::nulls());
    if (!program) { // a value that the program refuses
      llvm::consumeError(program.takeError());
      return;
    }
    frontend::Program bare = **program;
    bare.choices.clear();
    if (programs.insert(printProgram(bare)).second)
      ways.push_back(std::move(way));
  };
  for (const Choice &choice : open)
    values.push_back(choice.fallback);
  add();
  for (auto [choice, value] : llvm::zip(open, values))
    value = choice.low;
  do
    add();
  while (--tried && advance(open, values));
  return ways;
}

/// Seconds of kernels of several devices: a copy of its part of what a kernel moves, or what leaves a device for
/// others, if that takes longer.
static double secondsOnDevices(mlir::func::FuncOp function, const passes::DeviceLink &link) {
  double seconds = 0;
  for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
    double moved = 0, onLinks = 0;
    auto add = [&](mlir::Operation *access, id::TileType tile) {
      const auto bytes = static_cast<double>(id::elementsOf(tile.getRadices()) * id::elementBytes(tile.getElement()));
      moved += bytes;
      onLinks += conversion::secondsOnLinks(conversion::crossingOf(access, link.devices), bytes, 0, link);
    };
    for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>())
      add(load, load.getResult().getType());
    for (id::StoreOp store : kernel.getBody().getOps<id::StoreOp>())
      add(store, store.getTile().getType());
    seconds += std::max(moved / link.copyBytesPerSecond, onLinks);
  }
  return seconds / static_cast<double>(id::devicesOf(function));
}

frontend::SizeMap codegen::fastestOnLinks(const CompileRequest &request, const frontend::Program &program) {
  constexpr int64_t mostCombinations = 8;
  constexpr double worthwhile = 0.99;
  int64_t combinations = 1;
  for (const Choice &choice : openChoices(request, program))
    combinations = std::min(combinations * (choice.high - choice.low + 1), mostCombinations + 1);
  if (combinations == 1 || combinations > mostCombinations)
    return request.sizes;
  frontend::SizeMap best = request.sizes;
  const passes::DeviceLink noLink; // of a machine that nothing is known of
  // Whether kernels reach the host's arrays, and seconds.
  std::pair<bool, double> least{true, std::numeric_limits<double>::infinity()};
  for (const CompileRequest &way : waysOf(request, program, mostCombinations)) {
    Compiler compiler(way);
    llvm::Expected<mlir::func::FuncOp> function = compiler.stages(llvm::nulls());
    if (!function) { // the defaults' mistakes will be said
      llvm::consumeError(function.takeError());
      continue;
    }
    const double seconds = request.memory ? id::secondsOf(*function)
                                          : secondsOnDevices(*function, compiler.target().link.value_or(noLink));
    const bool reaches = request.memory && id::reachesHost(*function);
    if (std::pair(reaches, seconds) < std::pair(least.first, worthwhile * least.second)) {
      best = way.sizes;
      least = {reaches, seconds};
    }
  }
  return best;
}
