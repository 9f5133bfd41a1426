#include "Results.h"
#include <algorithm>
#include <cinttypes>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gpucheck {
namespace {

const char *const header =
    "date,gpu,driver,cuda,cufft,seed,hash,program,type,n,batch,error,cufft_error,error_bound,worst,"
    "worst_bound,input_kept,guards_intact,repeatable,batch_invariant,passed,complaint\n";
constexpr int hashColumn = 6;

/// A message that fits one field.
std::string field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '"'; }, ' ');
  return text;
}

} // namespace

ResultsFile::ResultsFile(const std::string &path, const Machine &machine, uint64_t seed)
    : machine(machine), seed(seed) {
  if (path.empty())
    return;
  std::ifstream existing(path);
  bool empty = true;
  for (std::string line; std::getline(existing, line); empty = false) {
    std::istringstream fields(line);
    std::string hash;
    for (int column = 0; column <= hashColumn; column++)
      std::getline(fields, hash, ',');
    done.insert(hash);
  }
  out = std::fopen(path.c_str(), "a");
  if (!out)
    throw std::runtime_error("cannot write " + path);
  if (empty)
    std::fputs(header, out);
}

ResultsFile::~ResultsFile() {
  if (out)
    std::fclose(out);
}

void ResultsFile::append(const KernelFile &file, const std::vector<CaseResult> &results) {
  if (!out)
    return;
  const std::string date = timestamp();
  for (const CaseResult &r : results)
    std::fprintf(out, "%s,%s,%s,%s,%s,%" PRIu64 ",%s,%s,%s,%s,%zu,%.4g,%.4g,%.4g,%.4g,%.4g,%d,%d,%d,%d,%d,%s\n",
                 date.c_str(), machine.gpu.c_str(), machine.driver.c_str(), machine.cudaRuntime.c_str(),
                 machine.cufft.c_str(), seed, file.hash.c_str(), file.program->name, nameOf(file.real),
                 file.size().c_str(), r.batch, r.error, r.cufftError, r.errorBound, r.worst, r.worstBound, r.inputKept,
                 r.guardsIntact, r.repeatable, r.batchInvariant, r.passed(), field(r.complaint()).c_str());
  std::fflush(out);
  done.insert(file.hash);
}

} // namespace gpucheck
