// The facts of a program for a terminal.
#pragma once

#include "compiler/explain/Facts.h"

namespace idc::explain {

void printText(llvm::raw_ostream &os, const Facts &facts);

/// "radix-2 digits 12 … 1", most significant first: "2^12", "3^2 * 2", "1".
std::string shapeOf(const std::vector<int> &radices);
/// A step: "unshuffle [1 12 … 2]", "merge @ 12", "scale [omega(8, i_3*digits(2, 1))]" with the digits of the index that
/// arrives there.
std::string describe(const frontend::Program &program, const frontend::Step &step);
/// How a kernel is launched, and how much of a multiprocessor it takes: one line each.
std::string launchOf(const Kernel &kernel);
std::string resourcesOf(const Kernel &kernel);
/// What was counted of an access or an exchange: "runs of 256 bytes, 8 sectors for 256 bytes".
std::string countedOf(const Access &access);
std::string countedOf(const Exchange &exchange);
/// "moved: 65536 bytes, …", "predicted: …" and "measured: …"; the last two may be empty.
std::string movedBy(const Facts &facts);
std::string predictedFor(const Facts &facts);
std::string measuredFor(const Facts &facts);
/// "n = 12, T = f32".
std::string settingsOf(const Facts &facts);

} // namespace idc::explain
