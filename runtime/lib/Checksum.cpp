//===- Checksum.cpp - tells damaged code of a library ---------------------===//

#include "Checksum.h"

#define XXH_INLINE_ALL // no library at run time
#include <xxhash.h>

namespace idc::runtime {

uint64_t checksum(const void *image, int64_t imageBytes, const void *manifest, int64_t manifestBytes) {
  return XXH3_64bits(image, size_t(imageBytes)) + XXH3_64bits(manifest, size_t(manifestBytes));
}

} // namespace idc::runtime
