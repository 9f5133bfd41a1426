//===- Checksum.h - tells damaged code of a library -------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_CHECKSUM_H
#define IDC_RUNTIME_LIB_CHECKSUM_H

#include <cstdint>

namespace idc::runtime {

/// idc_library_instance::checksum of an image and a manifest of so many bytes; an image of none may be null.
uint64_t checksum(const void *image, int64_t imageBytes, const void *manifest, int64_t manifestBytes);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_CHECKSUM_H
