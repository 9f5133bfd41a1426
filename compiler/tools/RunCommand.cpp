#include "compiler/tools/RunCommand.h"

#include "compiler/explain/Text.h"
#include "compiler/tools/Executable.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/Trace.h"
#include "compiler/tools/TraceFile.h"
#include "host/Arrays.h"
#include "host/ValueTable.h"
#include "runtime/lib/WholeFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <sstream>

using namespace idc;
using codegen::Compiler;

namespace {
/// Writes what the emulator counted to the file that is asked for.
void writeReports(const std::vector<emulator::KernelReport> &kernels, const tools::Emulation &emulation) {
  if (!emulation.reportFile.empty())
    runtime::writeFile(emulation.reportFile, toJson(kernels));
}

/// Prints what the emulator counted, if asked for, and in any case what went wrong; false if something did.
bool printReports(const std::vector<emulator::KernelReport> &kernels, const tools::Emulation &emulation) {
  bool passed = true;
  for (const emulator::KernelReport &kernel : kernels) {
    passed &= kernel.passed();
    if (emulation.printReport)
      std::cout << toText(kernel) << std::flush;
    else if (!kernel.passed())
      llvm::errs() << toText(kernel);
  }
  return passed;
}

/// Prints the operands of a problem, each as a table by its digits.
void printOperands(std::ostream &out, const frontend::Program &program, const host::ProblemValues &problem) {
  auto title = [&](const char *what, const std::string &name, const std::string &type) {
    out << what << " " << name << ": " << type;
  };
  auto table = [&](const char *what, const host::OperandValues &operand, int value) {
    const frontend::Sequence &sequence = program.values[static_cast<size_t>(value)];
    title(what, operand.name, frontend::spell(*sequence.element) + "[" + explain::shapeOf(sequence.radices) + "]\n");
    host::printTable(out, host::toArray(operand.data, operand.type, 1, operand.elements), sequence.radices);
  };
  for (const auto &[operand, input] : llvm::zip(problem.inputs, program.inputs))
    table("input", operand, input.value);
  for (const auto &[bytes, scalar] : llvm::zip(problem.scalars, program.scalars)) {
    title("scalar", scalar.name, frontend::spell(*scalar.type) + "\n");
    const auto type = host::ElementType::parse(frontend::spellStructure(*scalar.type));
    host::printTable(out, host::toArray(bytes, type, 1, 1), {});
  }
  for (const auto &[operand, value] : llvm::zip(problem.outputs, program.outputs))
    table("result", operand, value);
}

/// What was asked for of the values; false when the steps that they are compared with differ.
bool inspect(std::ostream &out, Compiler &compiler, const host::ProblemValues &problem,
             const tools::Inspection &inspection, double tolerance) {
  if (inspection.operands)
    printOperands(out, tools::programOf(compiler, llvm::errs()), problem);
  const bool isCompared = !inspection.againstName.empty();
  if (!inspection.steps && inspection.traceFile.empty() && !isCompared)
    return true;
  const tools::Trace trace = tools::traceProgram(compiler, problem);
  if (inspection.steps)
    tools::print(out, trace);
  if (!inspection.traceFile.empty())
    tools::writeTrace(inspection.traceFile, trace);
  if (!isCompared)
    return true;
  if (!inspection.against)
    return tools::compare(out, trace, tools::readTrace(inspection.againstName), inspection.againstName, tolerance);
  Compiler other(*inspection.against);
  return tools::compare(out, trace, tools::traceProgram(other, problem), inspection.againstName, tolerance);
}
} // namespace

int tools::runProgram(codegen::CompileRequest request, host::RunRequest run, const std::string &device, bool verify,
                      const Emulation &emulation, const Inspection &inspection) {
  const std::string chosen = Executable::chooseDevice(device, request);
  Compiler compiler(std::move(request));
  try {
    const Executable executable(compiler, chosen, llvm::errs(), emulation.options);
    run.module = executable.module();
    run.group = executable.group();
    const frontend::Program &program = programOf(compiler, llvm::errs());
    if (verify)
      run.reference = makeReference(program, placesOf(compiler));
    if (inspection.any())
      run.keptProblem = inspection.problem;
    for (int output : program.outputs)
      run.outputRadices.push_back(program.values[static_cast<size_t>(output)].radices);
    const emulator::EmulatedModule *emulated = executable.emulated();
    host::RunReport report;
    try {
      report = host::run(run);
    } catch (const host::Error &) {
      if (emulated) {
        printReports(emulated->reports(), emulation);
        writeReports(emulated->reports(), emulation);
      }
      throw;
    }
    executable.checkEvaluation();
    if (!executable.processor().empty())
      report.processor = executable.processor();
    std::ostringstream values; // printed when nothing can fail any more
    const bool same = !report.kept || inspect(values, compiler, *report.kept, inspection, run.tolerance);
    if (emulated)
      writeReports(emulated->reports(), emulation);
    std::cout << values.str();
    host::print(std::cout, report);
    const bool faultless = !emulated || printReports(emulated->reports(), emulation);
    return report.passed() && same && faultless ? 0 : 1;
  } catch (const std::runtime_error &error) { // host::Error, runtime::FileError
    return fail(error.what());
  }
}
