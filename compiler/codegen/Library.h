// A C library made of programs at several sizes and for several targets: what it consists of, and its three outputs.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Elaborated.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace idc::codegen {

/// A program at one choice of sizes for one target.
struct LibraryInstance {
  std::string target;
  std::string image;                // for a GPU: a fatbin, a cubin or PTX
  std::string object;               // for the CPU, or its share of chunks: an object file with the kernels,
  std::vector<std::string> kernels; // and their symbols, in the manifest's order
  std::string manifest;
  std::string signature; // what its arguments and results are in the program (Signature.h)
  int64_t workspaceFixedBytes = 0, workspaceBytesPerProblem = 0;
};

/// A parameter of a generated function: a pointer to an array (or one to each plane), or a run-time scalar by value (a
/// complex one is two).
struct LibraryParameter {
  std::string name;                                             // as in the program; may be no name in C
  std::string type;                                             // of an element, as manifests spell it
  std::string declared;                                         // as in the program
  std::string layout = {};                                      // of an array that is not dense: as in the request
  int64_t alignment = 16;                                       // of its pointers, in bytes
  std::vector<std::pair<std::string, std::string>> planes = {}; // of a planar array: names and types
  std::string distribution = {};                                // of several devices' array: as in the request
  std::set<std::string> required = {};                          // of a scalar: what the program says of it
};

/// A program at one choice of types, and at every choice of sizes for every target.
struct LibraryFunction {
  std::string name; // in C
  std::string entry, documentation;
  std::vector<std::pair<std::string, std::string>> types;
  std::vector<std::string> sizes; // names, in the order of the C parameters
  /// The first of the sizes is a number of devices, which a call takes from its group.
  bool hasGroup = false;
  bool isHost = false; // arrays lie in the host's memory, and pass through the GPU's
  std::vector<LibraryParameter> inputs, scalars, outputs;
  std::vector<std::vector<int64_t>> points; // values of the sizes, ascending
  std::vector<LibraryInstance> instances;   // of each point for each target in turn
};

struct Library {
  std::string name;
  std::string source;               // the file's name
  std::vector<std::string> targets; // GPUs ascending, then the CPU
  std::vector<LibraryFunction> functions;
};

/// Fills in what the program, and the manifest and the layouts of one of its instances, say about its parameters.
void describe(const frontend::Program &program, const frontend::Function &declaration, const std::string &manifest,
              const std::vector<std::string> &layouts, LibraryFunction &function);
/// Makes a function that was described one for groups of devices, which arrays are distributed to as in the request.
constexpr char devicesName[] = "devices"; // of the size
void addGroup(const std::vector<std::string> &distributions, LibraryFunction &function);

/// The name of a symbol that stands for all that the library consists of, code and manifests included, and for the
/// runtime's interface: the header refers to it and the object defines it, so that a header and an archive of different
/// compilations do not link.
std::string interfaceSymbol(const Library &library);

/// NAME.h
std::string libraryHeader(const Library &library);

/// NAME.o: the functions of the header, the images and the tables for the runtime (idc/library.h).
llvm::Expected<std::string> libraryObject(const Library &library);

/// NAME.json: the manifests of all instances.
std::string libraryManifest(const Library &library);

} // namespace idc::codegen
