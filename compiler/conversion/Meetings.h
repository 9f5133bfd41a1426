// What id-place-barriers writes into kernels: where threads meet, and where exchanges and totals lie in shared memory.
// Emitters, the analysis of aliasing and tests read it from here.
//
//   %1 = id.exchange %0 by shared <…> {id.before = #id.meeting<block>, id.between = #id.meeting<block>,
//   id.shared_offset = 0}
#pragma once

#include "id/IdDialect.h"

namespace idc::conversion {

/// On an exchange, or what is staged: who has met, after what was read in its memory before, when it is written.
constexpr const char beforeAttr[] = "id.before";
/// On these: who has met between its writes and its reads.
constexpr const char betweenAttr[] = "id.between";
/// On an exchange that reads the memory of other blocks: who meets after its reads before the kernel ends, where
/// nothing else comes before.
constexpr const char afterAttr[] = "id.after";
/// On these, or a node whose totals of turns stay in shared memory: its place there, in bytes. Where a kernel stages,
/// the places of its block's tiles lie side by side: so many times as many bytes from the beginning.
constexpr const char sharedOffsetAttr[] = "id.shared_offset";
/// On an exchange of a team: it has two places, for odd and even items, `id.parked_bytes` of the kernel apart.
constexpr const char parkedAttr[] = "id.parked", parkedBytesAttr[] = "id.parked_bytes";
/// On a kernel: the shared memory, in bytes, of what lies there for one tile.
constexpr const char sharedBytesAttr[] = "id.shared_bytes";

/// The meeting that an op carries under one of these names; none without it.
id::Meeting meetingOf(mlir::Operation *op, llvm::StringRef name);
void setMeeting(mlir::Operation *op, llvm::StringRef name, id::Meeting meeting);

/// A number that an op carries, 0 without it; and whether it does.
int64_t numberOf(mlir::Operation *op, llvm::StringRef name);
void setNumber(mlir::Operation *op, llvm::StringRef name, int64_t number);

} // namespace idc::conversion
