// The adjoints of programs against finite differences (docs/adjoints.md): of one entry, of a list, or of random
// programs.
//
//   idc-gradients FILE.id ENTRY [NAME=VALUE…]
//   idc-gradients --cases LIST          a line for each: the same, or with "refused: MESSAGE" behind it
//   idc-gradients --random COUNT        programs that have an adjoint
#include "Check.h"

#include "test/random/Source.h"

#include "compiler/codegen/Compiler.h"
#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/tools/CommandLine.h"
#include "compiler/tools/Messages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace idc;
using test::Verdict;
namespace cl = llvm::cl;

static cl::list<std::string> words(cl::Positional, cl::desc("[FILE.id ENTRY NAME=VALUE…]"));
static cl::opt<std::string> cases("cases", cl::desc("a file of instances, one a line"));
static cl::opt<uint64_t> randomCount("random", cl::desc("how many random programs that have an adjoint"));
static cl::opt<uint64_t> first("first", cl::desc("number of the first random program"));
static cl::opt<uint64_t> seed("seed", cl::desc("of programs and inputs"), cl::init(1));
static cl::opt<double> tolerance("tolerance", cl::desc("largest relative error"), cl::init(1e-6));
static cl::opt<bool> verbose("verbose", cl::desc("print every figure"));

/// Whether the words' adjoint is right, or refused with the message.
static bool checkWords(llvm::ArrayRef<std::string> given, llvm::StringRef refusal, double &worst) {
  codegen::CompileRequest request;
  request.libraries = {codegen::standardLibrary()};
  codegen::setFile(given[0], request);
  for (const std::string &setting : given.drop_front(2))
    if (llvm::Error error = codegen::addSetting(setting, request)) {
      llvm::outs() << llvm::toString(std::move(error)) << "\n";
      return false;
    }
  const Verdict verdict = test::checkAdjoint(
      {request.file, "", request.libraries, given[1], request.sizes, request.types}, seed, tolerance);
  const std::string name = llvm::join(given, " ");
  static const char *const kinds[] = {"same", "DIFFERENT", "refused", "rough", "broken"};
  const bool good = refusal.empty()
                        ? verdict.kind == Verdict::Kind::Same
                        : verdict.kind == Verdict::Kind::Refused && llvm::StringRef(verdict.detail).contains(refusal);
  if (verbose || !good)
    llvm::outs() << name << ": " << kinds[static_cast<int>(verdict.kind)] << " " << llvm::format("%.1e", verdict.error)
                 << (verdict.kind == Verdict::Kind::Same ? "" : "\n" + verdict.detail) << "\n";
  worst = std::max(worst, verdict.error);
  return good;
}

static int checkCases() {
  auto buffer = llvm::MemoryBuffer::getFile(cases);
  if (!buffer)
    return idc::tools::fail("cannot read '" + cases + "': " + buffer.getError().message());
  int right = 0, refused = 0, wrong = 0;
  double worst = 0;
  for (llvm::StringRef line : llvm::split((*buffer)->getBuffer(), '\n')) {
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    auto [instance, refusal] = line.split("refused:");
    std::vector<std::string> given;
    for (llvm::StringRef word : llvm::split(instance.trim(), ' '))
      if (!word.empty())
        given.push_back(word.str());
    if (!checkWords(given, refusal.trim(), worst))
      ++wrong;
    else
      ++(refusal.empty() ? right : refused);
  }
  llvm::outs() << right << " right, " << refused << " refused, " << wrong << " wrong; largest relative error "
               << llvm::format("%.1e", worst) << "\n";
  return wrong ? 1 : 0;
}

static int checkRandom() {
  uint64_t right = 0, rough = 0, wrong = 0, index = first;
  double worst = 0;
  std::map<std::string, int> refusals;
  for (; right < randomCount && index < first + 100 * randomCount; ++index) {
    const random::Program program = random::write(random::draftProgram(seed, index));
    const Verdict verdict = test::checkAdjoint({"program.id", program.text, {}, "f", {}, {}}, seed + index, tolerance);
    switch (verdict.kind) {
    case Verdict::Kind::Same:
      ++right;
      worst = std::max(worst, verdict.error);
      break;
    case Verdict::Kind::Refused:
      ++refusals[verdict.detail];
      break;
    case Verdict::Kind::Rough:
      ++rough;
      break;
    default:
      ++wrong;
      llvm::outs() << "program " << index << " of seed " << seed << " "
                   << (verdict.kind == Verdict::Kind::Different ? "differs: " : "is broken: ")
                   << llvm::format("%.1e", verdict.error) << "\n"
                   << program.text << verdict.detail << "\n";
      if (wrong == 3)
        return 1;
    }
  }
  llvm::outs() << right << " right, " << rough << " rough, " << wrong << " wrong of " << index - first
               << " programs; largest relative error " << llvm::format("%.1e", worst) << "\n";
  for (const auto &[message, count] : refusals)
    if (verbose)
      llvm::outs() << "  " << count << " refused: " << message << "\n";
  return wrong || right < randomCount ? 1 : 0;
}

int main(int argc, char **argv) {
  if (!idc::tools::parseCommandLine({argv, argv + argc}, "adjoints against finite differences\n"))
    return 2;
  if (!cases.empty())
    return checkCases();
  if (randomCount)
    return checkRandom();
  if (words.size() < 2) {
    idc::tools::fail("needs FILE.id ENTRY [NAME=VALUE…], --cases or --random");
    return 2;
  }
  double worst = 0;
  verbose = true;
  return checkWords(std::vector<std::string>(words.begin(), words.end()), "", worst) ? 0 : 1;
}
