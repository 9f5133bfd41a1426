//===- GroupModule.h - a module that several GPUs run -----------*- C++ -*-===//
//
// For the tools that run modules on files: several devices in the place of one.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_HOST_GROUPMODULE_H
#define IDC_HOST_GROUPMODULE_H

#include "idc/group.h"
#include "lib/Module.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace idc::host {

/// A module for several devices, run by the first ones of this computer as a group of this process. For idc_launch()
/// and host::run(): operands are whole ones in the host's memory, of which each device gets its share. Not for several
/// threads at once.
class GroupModule final : public idc_module {
public:
  /// Throws Error when the module cannot be loaded on as many devices as it is for.
  static std::unique_ptr<GroupModule> load(const std::string &image, const std::string &manifest);
  ~GroupModule() override;

  /// Returns when the results are in the host's memory. Outputs keep what kernels do not write.
  idc_status launch(int64_t batch, const runtime::Operands &operands, void *stream) const override;

  /// Medians of `repeat` times, in seconds: of a launch, from when devices begin until all have ended, and of a copy on
  /// every device that moves as many bytes as its operands have. Operands are those of the last launch. Throws Error.
  struct Times {
    double launch, copy;
  };
  Times measure(int repeat) const;

  /// The devices' number and name.
  std::string processor() const;

private:
  struct Rank {
    int32_t device = 0;
    idc_module *module = nullptr;
    idc_group *group = nullptr;
    void *stream = nullptr;
    char *memory = nullptr; // a set of operands, then the workspace; registered with the group
    std::vector<const void *> scalars;
  };
  /// Where what a device has of an operand lies in a set of operands.
  struct Place {
    const runtime::Operand *operand;
    int64_t offset, bytes;
  };

  explicit GroupModule(runtime::Manifest ofDevice);
  idc_status load(const void *image, size_t imageBytes, const std::string &manifest);
  idc_status prepare(int64_t batch) const;
  idc_status launchOn(const Rank &rank, char *set) const;
  idc_status share(const Rank &rank, const runtime::Operands &operands) const;
  idc_status collect(const Rank &rank, const runtime::Operands &operands) const;
  idc_status synchronize() const;
  /// Calls `act` with every rank, its device being the current one, until one fails; then the first device is current.
  idc_status forEachRank(const std::function<idc_status(Rank &)> &act) const;
  void free(Rank &rank) const;
  /// The median time of one of what `act` enqueues for each number below `count`, on all devices.
  double seconds(const std::function<idc_status(const Rank &, int64_t number)> &act, int64_t count, int repeat) const;

  const runtime::Manifest ofDevice; // the shares
  mutable std::vector<Rank> ranks;
  // Of the last launch:
  mutable int64_t batch = 0, setBytes = 0, operandBytes = 0; // of one device
  mutable std::vector<Place> inputs, outputs;
};

} // namespace idc::host

#endif // IDC_HOST_GROUPMODULE_H
