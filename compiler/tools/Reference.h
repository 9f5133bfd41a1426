// The direct evaluation of a program: as the reference of a run, and as a module that is run itself.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include "host/Run.h"

#include <functional>
#include <memory>
#include <string>

namespace idc::tools {

/// Where a step of a program stands, for messages: "mine.id:13: merge @ i, i = 3".
using StepPlace = std::function<std::string(const frontend::Step &)>;

/// Evaluates `program` (which must outlive the result) on the bytes of one problem's inputs, in long double or exactly;
/// real results come as f8 or c16, integers as i8 or u8. Throws host::Error, with the step's place, when the evaluation
/// fails.
host::Reference makeReference(const frontend::Program &program, StepPlace placeOf);

/// A module for a CPU whose only kernel evaluates a program, one problem after the other: it runs every program of the
/// language. Values are rounded to their types when they are written, not in between. Elements of
/// records are laid out as in C.
/// One such module can exist at a time.
class ReferenceModule {
public:
  /// `program` must outlive the module. Throws host::Error.
  explicit ReferenceModule(const frontend::Program &program, StepPlace placeOf = {});
  ~ReferenceModule();
  ReferenceModule(const ReferenceModule &) = delete;
  ReferenceModule &operator=(const ReferenceModule &) = delete;

  const idc_module *get() const;
  /// What went wrong in a launch and where, a division by zero for one; empty when nothing did. The outputs are not
  /// complete then.
  std::string error() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace idc::tools
