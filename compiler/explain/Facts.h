// What is worth looking at in a compiled program, as plain data: the steps as written, and of every kernel its
// mappings, exchanges, accesses and resources. Text, SVG and HTML only print it.
#pragma once

#include "compiler/codegen/Compiler.h"
#include "compiler/conversion/Peers.h"
#include "compiler/passes/ExchangeSides.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace idc::explain {

/// An input or a result of the program.
struct Array {
  std::string name, type;
  int64_t elements = 0, elementBytes = 0;
};

/// The tile that an event leaves, or stores.
struct Tile {
  unsigned operation = 0;   // that makes it: its number in the kernel's body
  std::vector<int> radices; // of its digits, least significant first; empty: it is none
  int64_t elements() const;
};

/// A tile loaded or stored.
struct Access {
  bool isStore = false;
  std::string buffer; // an input, an output, or a value between kernels
  digits::Mapping mapping;
  std::vector<int> order;    // the tile's digits by the buffer's address, lowest first; empty: not all are digits of it
  int64_t bytes = 0;         // of one problem
  int64_t runBytes = 0;      // consecutive bytes that a block or cluster touches; 0: not counted
  bool staysInCache = false; // a ring between two passes
  conversion::Reach reach = conversion::Reach::Own; // of several devices
  conversion::Crossing crossing;                    // between them
  /// Of one access of a warp, by brute force; none where the lanes of a warp are no digits of the mapping, or the order
  /// is unknown.
  std::optional<digits::AccessCount> count;
  Tile tile;
};

/// Steps that one mapping serves.
struct Stage {
  digits::Mapping mapping;        // of the first step
  std::vector<std::string> steps; // "node 12", "twiddle", "pointwise"
  Tile tile;
};

/// The words of shared memory that an exchange goes through.
struct SharedWords {
  passes::ExchangeSides sides;
  digits::SharedLayout layout;
};

struct Exchange {
  std::string kind; // of digits::exchangeKindName
  digits::Mapping source, target;
  int conflicts = 0; // words that meet in a bank in the worst access; 1: none meet; 0: not through shared memory
  int64_t words = 0, wordBytes = 0;
  std::optional<SharedWords> shared; // none: not through shared memory, or from computed places
  Tile tile;
};

using Event = std::variant<Access, Stage, Exchange>;

/// One launch.
struct Kernel {
  std::string name, launch;
  bool isPersistent = false;
  bool isDivided = false; // among several devices; else each does all of it
  int64_t team = 1, cluster = 1, threads = 0, problems = 1, blocks = 1, sharedBytes = 0; // `blocks` do `problems`
  std::optional<int64_t> registers, spillBytes;                                          // where there is an assembler
  std::optional<int64_t> residentBlocks; // for which a multiprocessor has threads, registers and shared memory
  std::vector<Event> events;
  int64_t movedBytes = 0; // loads and stores of one problem
  double predicted = 0;   // lower bound of its time over that of copying what the program must read and write
};

/// Of one kernel: by the operation that makes a tile (Tile::operation), its elements as text in the order of their
/// index.
using TileValues = std::map<unsigned, std::vector<std::string>>;

/// How many of the planner's candidates are shown: CompileRequest::listed.
constexpr unsigned listedCandidates = 5;

/// Where a step of the program stands in its source.
struct StepSource {
  std::string place; // "mine.id:13"; empty: nowhere
  std::string text;  // of the stage and of the loops around it: "merge @ i, i = 3"
};
StepSource sourceOf(const frontend::Step &step, const codegen::Compiler &compiler);

/// An array of the host of which a pass takes chunks.
struct Chunks {
  std::string name;
  int64_t bytes = 0;      // of one chunk
  int64_t rowBytes = 0;   // that lie together in the host's memory; all of the array if every chunk needs that
  bool isReached = false; // kernels take it where it lies
};

/// A pass over data in the host's memory: kernels that each chunk goes through.
struct DataPass {
  int64_t chunks = 1;
  std::vector<Chunks> in, out;
  size_t firstKernel = 0, kernels = 0;
  double seconds = 0;    // that it takes
  int64_t cpuChunks = 0; // that the CPU takes,
  size_t cpuKernels = 0; // through so many kernels of its own
};

struct Facts {
  const frontend::Program *program = nullptr; // as elaborated; lives as long as the compiler
  std::vector<StepSource> stepSources;        // of every step of the program
  std::string symbol, target, plan;
  std::string schedule; // where it comes from: "the planner", or a file and line
  std::string measured; // what that says it took, "2.34 copies"; empty: nothing
  std::vector<Array> inputs, outputs;
  std::vector<Kernel> kernels;
  std::vector<DataPass> passes;                        // of data in the host's memory
  int64_t devices = 1, meetings = 0;                   // several of them, and how often they meet
  int64_t memoryBytes = 0;                             // of the device, that these may take; 0: data lie on it
  bool sharesWithCpu = false;                          // the CPU may take some of their chunks
  int64_t workspaceBytes = 0, workspaceFixedBytes = 0; // per problem, and once
  int64_t movedBytes = 0, leastBytes = 0;              // of one problem
  double predicted = 0;                                // sum over the kernels; 0: not for this plan
  std::vector<passes::CandidateList> candidates;       // the planner's best, where they were asked for
  std::vector<TileValues> tiles;                       // of every kernel, where they were observed (TileValues.h)
};

/// Whether registers and spills are asked of the assembler, which takes most of the time, where there is one.
enum class Assembler { Used, Unused };

/// Compiles as far as the manifest. Errors as of codegen::Compiler.
llvm::Expected<Facts> gather(codegen::Compiler &compiler, llvm::raw_ostream &errors,
                             Assembler assembler = Assembler::Used);

/// The steps of a stage in a few words: "nodes 12 11 10, 2 twiddles".
std::string spell(const std::vector<std::string> &steps);

} // namespace idc::explain
