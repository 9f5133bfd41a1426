// Compilations of one process: what was compiled is kept in memory and on disk.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <memory>
#include <optional>
#include <vector>

namespace idc::library {

/// What became of a request: code, or what is wrong. Immutable.
struct Compilation {
  codegen::LibraryInstance instance;
  std::optional<codegen::CpuJit> code; // for the CPU
  std::vector<frontend::Diagnostics::Message> diagnostics;
  bool succeeded() const { return diagnostics.empty(); }
};

enum class Origin { Compiled, Disk };

struct Outcome {
  std::shared_ptr<const Compilation> compilation;
  Origin origin = Origin::Compiled;
};

/// What this process has compiled of the same request and the same files, or null. Threads may call both at once.
std::shared_ptr<const Compilation> findCompiled(const codegen::CompileRequest &request);

/// Finds what was compiled on disk, or compiles.
Outcome compile(const codegen::CompileRequest &request);

/// What is wrong with a program, by the messages of the compiler that refused it and the error that it returned.
std::shared_ptr<Compilation> failed(const codegen::Compiler &compiler, llvm::Error error);

/// The message of an error without a place, in the form of the others.
frontend::Diagnostics::Message withoutPlace(llvm::Error error);

} // namespace idc::library
