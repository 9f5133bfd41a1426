// From a source file to every output: the levels of the compiler in order, each made when it is first asked for.
#pragma once

#include "compiler/codegen/CpuJit.h"
#include "compiler/codegen/HostObject.h"
#include "compiler/codegen/Library.h"
#include "compiler/codegen/Toolkit.h"
#include "compiler/conversion/Buffers.h"
#include "compiler/frontend/Elaborate.h"
#include "compiler/frontend/Parse.h"
#include "compiler/passes/Planner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace idc::codegen {

struct CompileRequest {
  std::string file;
  std::optional<std::string> text = {}; // of the program; `file` is then its name in messages
  std::string entry;                    // empty: the file's only algorithm
  frontend::SizeMap sizes;
  frontend::TypeMap types;
  std::string target = "sm_90";            // of passes::findTarget
  Processor processor = Processor::Common; // that CPU kernels are for
  std::vector<std::string> libraries;      // folders searched for imports
  passes::Plan plan = passes::Plan::Throughput;
  unsigned candidate = 0;           // of the plan's schedules, best first
  unsigned listed = 0;              // candidates that candidates() gives of each part of the program
  bool rings = false;               // kernels of such a schedule become passes of one where they can (RingPlan.h)
  bool ownSchedules = true;         // those of the program, and measured ones of the standard library
  std::vector<std::string> layouts; // of arrays that are not dense (LayoutOptions.h)
  bool inPlace = false;             // every result may have the memory of an argument
  int64_t devices = 1;              // GPUs that work on each problem together
  /// Which of them has what of arguments and results (y0, y1, …): NAME=DISTRIBUTION (id/Devices.h).
  std::vector<std::string> distributions = {};
  /// Bytes of device memory that the program may take, where its arrays lie in host memory; 0: they are on the device.
  int64_t memory = 0;
  /// Of their chunks the CPU of the host takes K of M, or for {0, 0} as many as are counted to pay; without a value
  /// none.
  std::optional<std::pair<int64_t, int64_t>> cpuShare = {};
  std::string hostLinkFile = {}; // what is measured of the machine that this is for (passes::readHostLink); empty: none
  std::string scheduleFile;      // an .id file with schedules; empty: those of the program
};

/// The levels a compilation can stop at, in order.
enum class Level { Ast, Id, Flow, Stages, Gpu, Llvm, Ptx, Cubin, Fatbin, Manifest, Object };
/// "ast", "id", …; and back (nullopt for another word).
const char *levelName(Level level);
std::optional<Level> findLevel(llvm::StringRef name);
/// File name extension of a level's output: "ptx", "json", …
const char *levelExtension(Level level);

/// Which form an instance of a program has.
struct InstanceForm {
  std::string prefix = {}; // begins the symbols of CPU kernels
  bool laterGpus = false;  // a GPU's image is a fat binary with PTX, else a cubin; without CUDA's tools PTX alone
};

class Compiler {
public:
  explicit Compiler(CompileRequest request);
  ~Compiler();

  /// The output of a level, as text or bytes; an error is a message for people. Source mistakes are also printed to
  /// `errors`, with their places, and give an error without a message.
  llvm::Expected<std::string> emit(Level level, llvm::raw_ostream &errors);

  /// The manifest as far as the level Gpu knows it: without what an assembler reports.
  llvm::Expected<std::string> launches(llvm::raw_ostream &errors);

  /// Whether the CPU takes a share of chunks, once the level Gpu has been reached: jit() has its code then.
  bool sharesWithCpu() const;

  /// The function as kernels over tiles (the level Stages), valid as long as the compiler.
  llvm::Expected<mlir::func::FuncOp> stages(llvm::raw_ostream &errors);

  /// The schedule in force as source text.
  llvm::Expected<std::string> schedule(llvm::raw_ostream &errors);

  /// Where the schedule in force stands, "FILE:LINE", once there are stages; empty: the planner's.
  std::string scheduleOrigin() const;

  /// What that schedule says it took: "2.34 copies", "10.5 us"; empty when it says nothing. As scheduleOrigin().
  std::string scheduleMeasured() const;

  /// The best of the planner's candidates from the one taken on, once there are stages; CompileRequest::listed of them.
  std::vector<passes::CandidateList> candidates() const;

  /// The elaborated program, after parsing and checking.
  llvm::Expected<const frontend::Program *> program(llvm::raw_ostream &errors);

  /// Where the text lies that a location of the program points to: "FILE:LINE"; empty for one that points nowhere.
  std::string place(llvm::SMLoc location) const;

  /// The program that computes the gradients with respect to the inputs of these names, or to all that have any when
  /// there are none: text of the language (adjoint/WriteAdjoint.h).
  llvm::Expected<std::string> adjoint(const std::vector<std::string> &withRespectTo, llvm::raw_ostream &errors);

  /// Machine code of the kernels for this computer; the target must be a CPU.
  llvm::Expected<const CpuJit *> jit(llvm::raw_ostream &errors);

  /// What a library holds of the program.
  llvm::Expected<LibraryInstance> instance(const InstanceForm &form, llvm::raw_ostream &errors);

  /// The algorithm as written, after parsing and checking.
  llvm::Expected<const frontend::Function *> declaration(llvm::raw_ostream &errors);

  /// The files that the program is made of, once it is parsed: sources, schedules.
  std::vector<std::string> files() const;

  /// Files that would have been part of it had they been there, in place of some of files().
  std::vector<std::string> absentFiles() const;

  /// All that was printed to `errors` so far, as data. Errors without a place that were returned are not among them.
  std::vector<frontend::Diagnostics::Message> messages() const;

  /// Why a fat binary cannot be made here (no toolkit), or empty.
  static std::string whyNoFatbin();

  const passes::Target &target() const;
  /// How many devices the request is for.
  int64_t devices() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace idc::codegen
