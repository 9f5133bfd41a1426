#include "compiler/explain/Text.h"

#include "compiler/explain/Exponent.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace idc;
using namespace idc::explain;
using frontend::Step;
using llvm::formatv;

std::string explain::shapeOf(const std::vector<int> &radices) {
  std::vector<std::string> factors;
  for (size_t top = radices.size(); top > 0;) {
    size_t count = 1;
    while (count < top && radices[top - 1 - count] == radices[top - 1])
      ++count;
    std::string radix = std::to_string(radices[top - 1]);
    factors.push_back(count > 1 ? radix + "^" + std::to_string(count) : radix);
    top -= count;
  }
  return factors.empty() ? "1" : llvm::join(factors, " * ");
}

/// The radices of the arrangement whose digits a step's body may use.
static const std::vector<int> &arrangementOf(const frontend::Program &program, const Step &step) {
  auto radices = [&](int value) -> const std::vector<int> & {
    return program.values[static_cast<size_t>(value)].radices;
  };
  const std::vector<int> *widest = &radices(step.outputs.front());
  for (int input : step.inputs)
    if (radices(input).size() > widest->size())
      widest = &radices(input);
  return *widest;
}

std::string explain::describe(const frontend::Program &program, const Step &step) {
  std::string text = step.name;
  if (step.kind == Step::Kind::Permute)
    text += (text.empty() ? "permute " : " ") + step.permutation.str();
  if (step.kind == Step::Kind::Node) {
    std::vector<std::string> digits;
    for (int digit : step.digits)
      digits.push_back(std::to_string(digit));
    text += " @ " + (digits.size() > 1 ? "(" + llvm::join(digits, ", ") + ")" : llvm::join(digits, ""));
  }
  std::vector<std::string> roots;
  for (const frontend::Instr &instr : step.body.instrs)
    if (instr.op == frontend::Op::Omega)
      roots.push_back("omega(" + std::to_string(instr.root) + ", " +
                      (instr.hasPoly ? spellExponent(instr.poly, instr.root, arrangementOf(program, step)) : "…") +
                      ")");
  constexpr size_t shown = 4; // a sum of products has one in each
  const size_t all = roots.size();
  if (all > shown) {
    roots.resize(shown);
    roots.push_back(formatv("… {0} in all", all).str());
  }
  if (!roots.empty())
    text += " [" + llvm::join(roots, ", ") + "]";
  return text;
}

static std::string plural(int64_t count, llvm::StringRef one) {
  return formatv("{0} {1}{2}", count, one, count == 1 ? "" : "s").str();
}

std::string explain::launchOf(const Kernel &kernel) {
  return formatv("{0}; {1} of {2} for {3}", kernel.launch, plural(kernel.blocks, "block"),
                 plural(kernel.threads, "thread"), plural(kernel.problems, "problem"))
      .str();
}

std::string explain::resourcesOf(const Kernel &kernel) {
  std::string text = plural(kernel.sharedBytes, "byte") + " of shared memory per block, ";
  if (!kernel.registers)
    return text + "registers unknown without ptxas";
  text += plural(*kernel.registers, "register") + " per thread, ";
  text += kernel.spillBytes.value_or(0) ? plural(*kernel.spillBytes, "byte") + " spilled" : std::string("no spills");
  return text + formatv("; a multiprocessor has room for {0}, {1}", plural(*kernel.residentBlocks, "block"),
                        plural(*kernel.residentBlocks * kernel.threads, "thread"))
                    .str();
}

std::string explain::countedOf(const Access &access) {
  std::string text = plural(access.bytes, "byte");
  if (access.runBytes)
    text += ", runs of " + std::to_string(access.runBytes);
  if (access.count)
    text += formatv("; an access of a warp: {0} for {1} bytes", plural(access.count->sectors, "sector"),
                    access.count->usefulBytes)
                .str();
  if (access.staysInCache)
    text += "; stays in the L2 cache";
  return text;
}

std::string explain::countedOf(const Exchange &exchange) {
  if (exchange.conflicts == 0)
    return {};
  std::string text = plural(exchange.words, "word") + " of " + plural(exchange.wordBytes, "byte") + ", ";
  return text + (exchange.conflicts == 1 ? "free of bank conflicts"
                                         : std::to_string(exchange.conflicts) + "-way bank conflicts");
}

std::string explain::movedBy(const Facts &facts) {
  return formatv("{0} bytes of a problem are read or written, {1:f2} times the {2} of its inputs and results",
                 facts.movedBytes,
                 static_cast<double>(facts.movedBytes) / static_cast<double>(std::max<int64_t>(1, facts.leastBytes)),
                 facts.leastBytes);
}

std::string explain::predictedFor(const Facts &facts) {
  if (facts.predicted == 0)
    return {};
  return formatv("at least {0:f2} times a copy of the inputs and results, by bytes, lengths of runs and clusters",
                 facts.predicted);
}

std::string explain::measuredFor(const Facts &facts) {
  auto [number, unit] = llvm::StringRef(facts.measured).split(' ');
  if (unit.empty())
    return {};
  return number.str() + (unit == "us" ? " microseconds for one problem at a time, when the schedule was tried"
                                      : " times a copy of the inputs and results, when the schedule was tried");
}

std::string explain::settingsOf(const Facts &facts) {
  std::vector<std::string> settings;
  for (const auto &[name, value] : facts.program->sizes)
    settings.push_back(name + " = " + std::to_string(value));
  for (const auto &[name, type] : facts.program->types)
    settings.push_back(name + " = " + type);
  for (const frontend::Choice &choice : facts.program->choices)
    settings.push_back(choice.name + " = " + std::to_string(choice.value) + " (a choice)");
  return llvm::join(settings, ", ");
}

static void printSteps(llvm::raw_ostream &os, const frontend::Program &program) {
  std::vector<std::string> names(program.values.size());
  for (const frontend::Parameter &input : program.inputs)
    names[input.value] = input.name;
  for (auto [number, constant] : llvm::enumerate(program.constants))
    names[constant.value] = "constant " + std::to_string(number + 1);
  int last = -1;
  for (auto [number, step] : llvm::enumerate(program.steps)) {
    os << formatv("  {0,4}  {1}", number + 1, describe(program, step));
    // Where a step does not simply go on with what the one before has made.
    std::vector<std::string> taken;
    for (int input : step.inputs)
      taken.push_back(names[input]);
    if (step.inputs.size() > 1 || (!step.inputs.empty() && step.inputs[0] != last))
      os << " of " << llvm::join(taken, ", ");
    for (auto [k, output] : llvm::enumerate(step.outputs))
      names[output] = std::to_string(number + 1) + (step.outputs.size() > 1 ? "." + std::to_string(k) : "");
    const frontend::Sequence &result = program.values[step.outputs.front()];
    if (step.kind == Step::Kind::Resize || step.kind == Step::Kind::Gather || step.kind == Step::Kind::Scatter ||
        result.radices.size() != program.values[step.inputs.front()].radices.size())
      os << " -> " << shapeOf(result.radices);
    os << '\n';
    last = step.outputs.front();
  }
  std::vector<std::string> returned;
  for (int output : program.outputs)
    returned.push_back(names[output]);
  os << "  returns " << llvm::join(returned, ", ") << '\n';
}

/// On which devices, behind the name of a buffer.
static const char *reached(conversion::Reach reach) {
  switch (reach) {
  case conversion::Reach::Own:
    break;
  case conversion::Reach::Peers:
    return ", on all devices";
  case conversion::Reach::Copies:
    return ", to each device";
  case conversion::Reach::OwnPart:
    return ", each device its part";
  }
  return "";
}

static void printKernel(llvm::raw_ostream &os, const Kernel &kernel) {
  os << "  " << launchOf(kernel) << "\n  " << resourcesOf(kernel) << '\n';
  auto line = [&](llvm::StringRef what, llvm::StringRef mapping, llvm::StringRef counted) {
    os << formatv("    {0,-12} {1}\n", what, mapping);
    if (!counted.empty())
      os << formatv("    {0,-12}   {1}\n", "", counted);
  };
  for (const Event &event : kernel.events) {
    if (const auto *access = std::get_if<Access>(&event))
      line((access->isStore ? "store " : "load ") + access->buffer + reached(access->reach), access->mapping.str(),
           countedOf(*access));
    else if (const auto *exchange = std::get_if<Exchange>(&event))
      line("exchange", exchange->kind + " to " + exchange->target.str(), countedOf(*exchange));
    else
      line("steps", spell(std::get<Stage>(event).steps), "");
  }
}

/// A count as it is, anything else with two digits.
static std::string spellNumber(double value) {
  return value == std::floor(value) ? std::to_string(static_cast<int64_t>(value)) : formatv("{0:f2}", value).str();
}

/// "grid, steps 1..5": a kernel of a candidate.
static std::string describe(const passes::KernelPlan &kernel) {
  std::string text = kernel.launch.str();
  int last = 0;
  for (const passes::RangePlan &range : kernel.ranges)
    last = std::max(last, range.last);
  if (kernel.hasSteps())
    text += formatv(", steps {0}..{1}", kernel.firstStep(), last).str();
  return kernel.ring ? text + ", with a ring" : text;
}

static void printCandidates(llvm::raw_ostream &os, const passes::CandidateList &list) {
  os << "\nThe planner's best for " << list.part << ", and what it counted\n";
  for (auto [number, candidate] : llvm::enumerate(list.candidates)) {
    os << formatv("  {0,4}  {1} {2}\n", number + 1, spellNumber(candidate.cost.cost), candidate.cost.unit);
    for (const auto &[kernel, cost] : llvm::zip(candidate.schedule.kernels, candidate.cost.kernels)) {
      os << "        " << describe(kernel) << ": " << spellNumber(cost.cost);
      for (const auto &[name, value] : cost.counted)
        os << (&name == &cost.counted.front().first ? "; " : ", ") << name << ' ' << spellNumber(value);
      os << '\n';
    }
  }
}

/// 17179869184: "16 GiB"; 12000: "12000 bytes".
static std::string roundBytes(int64_t bytes) {
  const char *units[] = {"GiB", "MiB", "KiB"};
  for (int64_t unit = int64_t(1) << 30, i = 0; unit > 1; unit >>= 10, ++i)
    if (bytes >= unit && bytes % unit == 0)
      return std::to_string(bytes / unit) + " " + units[i];
  return plural(bytes, "byte");
}

/// The passes over data in the host's memory.
static void printPasses(llvm::raw_ostream &os, const Facts &facts) {
  os << "\nData in the host's memory, which pass through " << roundBytes(facts.memoryBytes) << " of the GPU's\n";
  double seconds = 0;
  for (auto [number, pass] : llvm::enumerate(facts.passes)) {
    seconds += pass.seconds;
    os << "  pass " << number + 1 << " of " << facts.passes.size() << ": " << plural(pass.chunks, "chunk")
       << " through " << (pass.kernels == 1 ? "kernel " : "kernels ") << pass.firstKernel + 1;
    if (pass.kernels > 1)
      os << " to " << pass.firstKernel + pass.kernels;
    os << llvm::format(", %.3g s%s\n", pass.seconds, pass.cpuChunks ? "" : " on the link");
    if (pass.cpuChunks)
      os << "    by the CPU: " << plural(pass.cpuChunks, "chunk") << " of these, through "
         << plural(static_cast<int64_t>(pass.cpuKernels), "kernel") << " of its own\n";
    else if (facts.sharesWithCpu)
      os << "    by the CPU: none\n";
    for (const auto &[way, arrays] : {std::pair("in", &pass.in), std::pair("out", &pass.out)})
      for (const Chunks &chunks : *arrays) {
        os << "    " << way << ' ' << chunks.name << ": " << roundBytes(chunks.bytes);
        if (chunks.isReached)
          os << ", reached where it lies";
        if (chunks.rowBytes < chunks.bytes)
          os << " in rows of " << roundBytes(chunks.rowBytes);
        os << '\n';
      }
  }
  os << llvm::format("  predicted: %.3g s\n", seconds);
}

void explain::printText(llvm::raw_ostream &os, const Facts &facts) {
  os << facts.symbol << ": " << facts.program->entry;
  if (std::string settings = settingsOf(facts); !settings.empty())
    os << ", " << settings;
  os << ", for " << facts.target << ", plan " << facts.plan << ", schedule: " << facts.schedule << '\n';
  auto arrays = [&](const char *what, const std::vector<Array> &listed) {
    for (const Array &array : listed)
      os << "  " << what << ' ' << array.name << ": " << array.elements << " of " << array.type << ", "
         << plural(array.elements * array.elementBytes, "byte") << '\n';
  };
  arrays("input", facts.inputs);
  arrays("result", facts.outputs);
  if (facts.workspaceBytes || facts.workspaceFixedBytes)
    os << "  workspace: " << facts.workspaceFixedBytes << " bytes, and " << facts.workspaceBytes << " for each problem"
       << (facts.passes.empty() ? "" : ", of the host's memory") << "\n";
  if (!facts.passes.empty())
    printPasses(os, facts);
  os << "\nThe steps as written\n";
  printSteps(os, *facts.program);
  for (auto [number, kernel] : llvm::enumerate(facts.kernels)) {
    os << "\nKernel " << number + 1 << " of " << facts.kernels.size() << ": " << kernel.name << '\n';
    printKernel(os, kernel);
  }
  os << "\nmoved: " << movedBy(facts) << '\n';
  // What kernels take beside the link is little, and no part of the prediction.
  if (!facts.passes.empty())
    return;
  if (std::string predicted = predictedFor(facts); !predicted.empty() && facts.devices == 1)
    os << "predicted: " << predicted << '\n';
  if (std::string measured = measuredFor(facts); !measured.empty())
    os << "measured: " << measured << '\n';
  for (const passes::CandidateList &list : facts.candidates)
    printCandidates(os, list);
}
