// AST to elaborated program: one entry at one choice of sizes and types.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Elaborated.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace idc::frontend {

/// As given by `--set`: a size, or an int, real or choice in <..>, or a constant of the entry's file, by an integer;
/// and everything else by its text: types ("f64", "complex<f32>", "mod<17>"), bools, reals, names of functions.
using SizeMap = std::map<std::string, int64_t>;
using TypeMap = std::map<std::string, std::string>;

/// The checks that need no sizes: unresolved names, names declared twice, wrong numbers of arguments, constructs in the
/// wrong place. Reports everything it finds in all files; true when there is nothing.
bool check(const Source &source, Diagnostics &diagnostics);
/// Finds what types and fields are wrong in the main file's algorithms, its other functions that are not generic, and
/// the generic ones that these use: runs funcs and nodes on values of their parameters' types, algorithms with a few
/// small sizes, and types where one has no default; what is wrong with all of them is reported. Runs check() first;
/// true when there is nothing.
bool checkBodies(const Source &source, Diagnostics &diagnostics);
/// The same as check() for the name of an entry and for a type that stand in no file, as the main file would mean them.
bool checkEntry(const std::string &name, const Source &source, Diagnostics &diagnostics);
bool checkType(const TypeExpr &type, const Source &source, Diagnostics &diagnostics);

/// Elaborates the algorithm `entry`. Runs check() first. Every size and every parameter in <..> without a default must
/// be set; nothing may be that is none of these and no constant of the entry's file. On a mistake reports it at the
/// offending expression with notes on the calls that led there, and returns nothing.
std::optional<Program> elaborate(const Source &source, const std::string &entry, const SizeMap &sizes,
                                 const TypeMap &types, Diagnostics &diagnostics);
/// The same with sequences that are known when compiling left as steps, for programs that are made of programs.
std::optional<Program> elaborateUnfolded(const Source &source, const std::string &entry, const SizeMap &sizes,
                                         const TypeMap &types, Diagnostics &diagnostics);

/// The first schedule of the program's entry for `target` and `plan` ("throughput", also of schedules that name none,
/// or "latency") whose condition holds and whose choices are those that `set` has, as far as it has them, in the order
/// of the files and of their text; null when there is none; no value when a condition is ill-formed (reported). Steps
/// of the schedule are those of the program elaborated with its choices.
std::optional<const ScheduleDecl *> findSchedule(const Source &source, const Program &program,
                                                 const std::string &target, const std::string &plan, const SizeMap &set,
                                                 Diagnostics &diagnostics);

/// The value of a compile-time integer made of an entry's sizes and the constants of the program, with 64 bits;
/// nothing, and reported, when it has none. `what` names it in messages.
std::optional<int64_t> evaluateSize(const Source &source, const Expr &expression, const SizeMap &sizes,
                                    const char *what, Diagnostics &diagnostics);

/// The elaborated program as text (`--emit=elaborated`): values, steps and bodies.
std::string printProgram(const Program &program);

} // namespace idc::frontend
