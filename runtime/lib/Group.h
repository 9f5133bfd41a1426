//===- Group.h - a rank of a group, for the rest of the runtime -*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_GROUP_H
#define IDC_RUNTIME_LIB_GROUP_H

#include "Driver.h"
#include "idc/group.h"

namespace idc::runtime {

/// The context of the rank's device.
CUcontext contextOf(const idc_group &group);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_GROUP_H
