#include "compiler/tools/TestCommand.h"

#include "compiler/codegen/RequestOptions.h"
#include "compiler/frontend/ScalarArrays.h"
#include "compiler/frontend/ScalarMemory.h"
#include "compiler/frontend/SourceText.h"
#include "compiler/tools/Example.h"
#include "compiler/tools/Executable.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/NumpyExpression.h"

#include "host/Arrays.h"
#include "host/Mismatch.h"
#include "host/NumberText.h"
#include "host/Progress.h"
#include "host/RandomInput.h"
#include "host/Run.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using codegen::Compiler;
using frontend::Scalar;
using tools::Example;

namespace {

/// What is wrong with an example.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An example that cannot be run here, or not yet.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a message says when it is about something that kernels do not do yet.
bool isAboutLimits(const std::vector<frontend::Diagnostics::Message> &messages) {
  return llvm::any_of(messages, [](const frontend::Diagnostics::Message &message) {
    const llvm::StringRef text = message.text;
    return !message.isNote && (text.ends_with(" yet") || text.contains(" so far"));
  });
}

int64_t elementsOf(const frontend::Sequence &sequence) {
  int64_t elements = 1;
  for (int radix : sequence.radices)
    elements *= radix;
  return elements;
}

host::ElementType layoutOf(const frontend::TypeRef &type) {
  return host::ElementType::parse(frontend::spellStructure(*type));
}

/// One example of a file.
class Test {
public:
  Test(const tools::TestRequest &request, const std::string &file, const Example &example);
  /// Throws Failure, Skip, host::Error.
  void run();

private:
  void expectError();
  void expectRefusal();
  void prepare(Compiler &compiler, host::RunRequest &run, std::optional<tools::Executable> &executable);
  void compile();
  void expectValues();
  std::vector<Scalar> numbers(const std::string &text, const frontend::TypeRef &type, int64_t elements,
                              const std::string &what);
  void readInputs(const frontend::Program &program, host::RunRequest &run);
  std::vector<npy::Array> expectedOf(const frontend::Program &program);
  [[noreturn]] void failWith(llvm::Error error);

  const tools::TestRequest &request;
  const Example &example;
  codegen::CompileRequest program;
  std::string device, printed;
  std::vector<std::pair<std::string, npy::Array>> names; // of inputs and scalars
};

Test::Test(const tools::TestRequest &request, const std::string &file, const Example &example)
    : request(request), example(example), program(request.program) {
  program.file = file;
  program.entry = example.entry;
  for (const std::string &setting : example.settings)
    if (llvm::Error error = codegen::addSetting(setting, program))
      throw Failure(llvm::toString(std::move(error)));
  device = tools::Executable::chooseDevice(request.device, program);
}

void Test::run() {
  switch (example.kind) {
  case Example::Kind::Values:
    return expectValues();
  case Example::Kind::Compiles:
    return compile();
  case Example::Kind::Unreadable:
    throw Failure("this cannot be read; an example is written ENTRY n=3: INPUTS -> RESULTS, ENTRY n=3: INPUTS error: "
                  "MESSAGE, ENTRY n=3 error: MESSAGE, ENTRY n=3 for sm_90 or error: MESSAGE");
  case Example::Kind::Error:
    return expectError();
  case Example::Kind::Refused:
    return expectRefusal();
  }
}

void Test::expectError() {
  frontend::Diagnostics diagnostics;
  std::unique_ptr<frontend::Source> source = frontend::parseFile(program.file, program.libraries, diagnostics);
  if (source && example.entry.empty())
    frontend::checkBodies(*source, diagnostics);
  else if (source)
    frontend::elaborate(*source, program.entry, program.sizes, program.types, diagnostics);
  if (!diagnostics.errors())
    throw Failure("there is no error");
  if (const std::string found = diagnostics.messages().front().text; found != example.rest)
    throw Failure("the error is: " + found);
}

void Test::compile() {
  program.target = example.rest;
  Compiler compiler(program);
  llvm::raw_string_ostream errors(printed);
  if (llvm::Expected<std::string> stages = compiler.emit(codegen::Level::Stages, errors); !stages)
    throw Failure(printed + llvm::toString(stages.takeError()));
}

std::vector<Scalar> Test::numbers(const std::string &text, const frontend::TypeRef &type, int64_t elements,
                                  const std::string &what) {
  const std::vector<frontend::TypeRef> leaves = frontend::leaves(type);
  const std::optional<std::vector<Scalar>> read = tools::readNumbers(text, leaves);
  if (!read)
    throw Failure(what + " is no list of numbers of " + frontend::spell(*type) + ": " + text);
  if (const int64_t wanted = elements * int64_t(leaves.size()); int64_t(read->size()) != wanted)
    throw Failure(what + " has " + std::to_string(read->size()) + " numbers, not " + std::to_string(wanted));
  return *read;
}

/// The data of the inputs and the settings of scalars, and what NumPy knows them by.
void Test::readInputs(const frontend::Program &elaborated, host::RunRequest &run) {
  const size_t wanted = elaborated.inputs.size() + elaborated.scalars.size();
  if (example.inputs.size() != wanted)
    throw Failure(example.entry + " takes " + std::to_string(wanted) + " inputs, but the example has " +
                  std::to_string(example.inputs.size()));
  auto text = example.inputs.begin();
  for (const frontend::Parameter &input : elaborated.inputs) {
    const frontend::Sequence &sequence = elaborated.values[static_cast<size_t>(input.value)];
    const host::ElementType type = layoutOf(sequence.element);
    const int64_t elements = elementsOf(sequence);
    std::vector<char> data(static_cast<size_t>(elements * type.bytes));
    if (*text == "random")
      host::fillRandom(data.data(), elements, type, 0, run.inputData.size());
    else
      frontend::storeScalars(numbers(*text, sequence.element, elements, "input '" + input.name + "'"), type,
                             data.data());
    npy::Array array = host::toArray(data, type, 1, elements);
    array.shape.erase(array.shape.begin());
    names.emplace_back(input.name, std::move(array));
    run.inputData.push_back(std::move(data));
    ++text;
  }
  for (const frontend::ScalarParameter &scalar : elaborated.scalars) {
    const std::vector<Scalar> value = numbers(*text, scalar.type, 1, "scalar '" + scalar.name + "'");
    const host::ElementType type = layoutOf(scalar.type);
    npy::Array array = frontend::toArray(value, type);
    array.shape.clear();
    names.emplace_back(scalar.name, std::move(array));
    std::string spelled = *text;
    if (isReal(type.fields[0].kind))
      spelled = host::realText(value[0].re, 21);
    if (type.fields[0].complex)
      spelled += "," + host::realText(value[0].im, 21);
    run.scalars.push_back(scalar.name + "=" + spelled);
    ++text;
  }
}

/// The numbers of the example, or what NumPy makes of its text.
std::vector<npy::Array> Test::expectedOf(const frontend::Program &elaborated) {
  const std::vector<std::string> parts = tools::splitList(example.rest);
  std::vector<npy::Array> written;
  for (size_t i = 0; i < parts.size() && parts.size() == elaborated.outputs.size(); ++i) {
    const frontend::Sequence &sequence = elaborated.values[static_cast<size_t>(elaborated.outputs[i])];
    if (!tools::readNumbers(parts[i], frontend::leaves(sequence.element)))
      break;
    written.push_back(
        frontend::toArray(numbers(parts[i], sequence.element, elementsOf(sequence), "result y" + std::to_string(i)),
                          layoutOf(sequence.element)));
  }
  if (written.size() == elaborated.outputs.size())
    return written;
  if (!tools::hasNumpy())
    throw Skip("the results are an expression of NumPy, which no python3 here has");
  std::vector<npy::DType> types;
  for (int output : elaborated.outputs) {
    const host::ElementType type = layoutOf(elaborated.values[static_cast<size_t>(output)].element);
    if (!type.uniform())
      throw Failure("results that are records of several types need numbers, not an expression of NumPy");
    types.push_back(frontend::toArray({}, type).type);
  }
  llvm::Expected<std::vector<npy::Array>> evaluated = tools::evaluateNumpy(example.rest, names, types);
  if (!evaluated)
    throw Failure(llvm::toString(evaluated.takeError()));
  return *evaluated;
}

/// A call with these inputs, and what it calls.
void Test::prepare(Compiler &compiler, host::RunRequest &run, std::optional<tools::Executable> &executable) {
  llvm::raw_string_ostream errors(printed);
  try {
    readInputs(tools::programOf(compiler, errors), run);
    executable.emplace(compiler, device, errors);
  } catch (const host::Error &error) {
    if (isAboutLimits(compiler.messages()))
      throw Skip("not yet: " + compiler.messages().front().text);
    throw Failure(printed + error.what());
  }
  run.module = executable->module();
}

void Test::expectRefusal() {
  Compiler compiler(program);
  host::RunRequest run;
  std::optional<tools::Executable> executable;
  prepare(compiler, run, executable);
  std::string refused;
  try {
    host::run(run);
  } catch (const host::Error &error) {
    refused = error.what();
  }
  if (refused.empty())
    throw Failure("the call is not refused");
  if (!llvm::StringRef(refused).ends_with(": " + example.rest))
    throw Failure("the call is refused: " + refused);
}

void Test::expectValues() {
  Compiler compiler(program);
  llvm::raw_string_ostream errors(printed);
  host::RunRequest run;
  std::optional<tools::Executable> executable;
  prepare(compiler, run, executable);
  const frontend::Program &elaborated = tools::programOf(compiler, errors);
  const std::vector<npy::Array> expected = expectedOf(elaborated);
  run.keptProblem = 0;
  const host::RunReport report = host::run(run);
  executable->checkEvaluation();
  std::string wrong;
  for (auto [i, output] : llvm::enumerate(report.kept->outputs)) {
    const bool isExact = llvm::none_of(output.type.fields, [](const host::Field &field) { return isReal(field.kind); });
    const double tolerance = isExact ? 0 : request.tolerance;
    const npy::Array actual = host::toArray(output.data, output.type, 1, output.elements);
    const double error = host::relativeError(actual, expected[i], "result " + output.name);
    if (!(error <= tolerance))
      wrong += output.name + ":\n" +
               host::describeMismatch(
                   actual, expected[i],
                   {1, output.elements, 0, elaborated.values[static_cast<size_t>(elaborated.outputs[i])].radices},
                   tolerance);
  }
  if (!wrong.empty())
    throw Failure(wrong);
}

/// Text in lines of their own below the line of an example.
std::string indented(llvm::StringRef text) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  text.rtrim().split(lines, '\n');
  for (llvm::StringRef line : lines)
    result += "    " + line.str() + "\n";
  return result;
}

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
};

/// The examples of a file; an error says why it cannot be read.
llvm::Expected<std::vector<Example>> examplesOf(const std::string &file) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = frontend::readSource(file);
  if (!text)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cannot read it: " + llvm::toString(text.takeError()));
  return tools::readExamples((*text)->getBuffer());
}

class Tests {
public:
  Tests(const tools::TestRequest &request, size_t examples) : request(request), progress(examples) {}

  void run(const std::string &file, const Example &example) {
    const std::string what = file + ":" + std::to_string(example.line) + ": " + example.text;
    try {
      Test(request, file, example).run();
      ++counts.passed;
      print("passed  ", what, "");
    } catch (const Skip &skip) {
      ++counts.skipped;
      print("skipped ", what, skip.what());
    } catch (const std::runtime_error &error) { // Failure, host::Error
      fail(what, error.what());
    }
    progress.finished(what);
  }
  void fail(const std::string &what, const std::string &why) {
    ++counts.failed;
    print("FAILED  ", what, why);
  }

  Counts counts;

private:
  const tools::TestRequest &request;
  host::Progress progress;

  void print(llvm::StringRef verdict, const std::string &what, const std::string &why) {
    progress.clear();
    llvm::outs() << verdict << what << "\n" << (why.empty() ? "" : indented(why));
  }
};

} // namespace

int tools::testPrograms(const TestRequest &request) {
  std::vector<llvm::Expected<std::vector<Example>>> found; // in each file
  size_t total = 0;
  for (const std::string &file : request.files) {
    found.push_back(examplesOf(file));
    total += found.back() ? found.back()->size() : 0;
  }
  Tests tests(request, total);
  for (auto [file, examples] : llvm::zip(request.files, found))
    if (!examples)
      tests.fail(file, llvm::toString(examples.takeError()));
    else
      for (const Example &example : *examples)
        tests.run(file, example);
  const Counts &counts = tests.counts;
  if (counts.passed + counts.failed + counts.skipped == 0)
    return fail("no file has an example: a line such as //! ENTRY n=3: 0..7 -> 7 6 5 4 3 2 1 0");
  llvm::outs() << counts.passed << " passed, " << counts.failed << " failed, " << counts.skipped << " skipped\n";
  return counts.failed == 0 ? 0 : 1;
}
