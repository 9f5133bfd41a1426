// How the blocks of a kernel are started and tied together.
#pragma once

#include <cstdint>
#include <string>

namespace idc::digits {

/// The properties of a launch, in any combination that a machine has. As text, in this order, those that a launch has:
/// `cluster 4`, `team 256`, `persistent`, `dependent`, `resident 3`; `grid` when it has none.
struct Launch {
  /// Blocks of a cluster: they run at the same time and reach each other's shared memory.
  int64_t cluster = 1;
  /// Blocks that share a problem and wait for each other through memory (a cooperative launch: all are resident).
  int64_t team = 1;
  /// As many blocks as the device holds; each draws the number of the next tile that it works on from a counter (a work
  /// queue).
  bool persistent = false;
  /// The kernel may start while the one before it ends, and waits for it itself (programmatic dependent launch).
  bool dependent = false;
  /// Blocks that a multiprocessor shall have registers for; 0: as many as the compiler counts.
  int64_t resident = 0;

  /// The blocks that one problem's tile is spread over: those of a cluster or of a team.
  int64_t blocksTogether() const { return cluster * team; }
  /// True where blocks neither know of each other nor of the kernel before.
  bool isGrid() const { return blocksTogether() == 1 && !persistent && !dependent; }
  bool operator==(const Launch &o) const {
    return cluster == o.cluster && team == o.team && persistent == o.persistent && dependent == o.dependent &&
           resident == o.resident;
  }
  bool operator!=(const Launch &o) const { return !(*this == o); }

  std::string str() const;
  /// The inverse of str(), words separated by blanks, in any order. Reads the spellings of earlier versions, too:
  /// `plain`, `tickets [blocks 4]` (persistent), `dependent-launch [blocks 4]`, `cooperative [blocks 4]` (team). False
  /// with `error` set to what is wrong.
  static bool parse(const std::string &text, Launch &out, std::string &error);
  /// What cannot be: an empty string, or the reason.
  std::string check() const;
};

} // namespace idc::digits
