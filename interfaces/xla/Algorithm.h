// An algorithm as XLA calls it.
#pragma once

#include "interfaces/compiled/Program.h"
#include "interfaces/xla/ForeignFunction.h"

#include <map>
#include <memory>
#include <mutex>

namespace idc::xla {

enum class Place { Cpu, Gpu };

class Algorithm {
public:
  /// Takes the request over, whose target is of no account. `scalars` are as idc_launch() takes them, and have to live
  /// as long as this object does.
  Algorithm(idc_request *request, const void *const *scalars);

  /// Runs it on the arrays of a call, in whose first dimensions lies the batch; compiles for a device that is new.
  /// Throws interfaces::Failure.
  void run(const Call &call, Place place);

private:
  const idc_module *moduleFor(Place place);

  const std::unique_ptr<idc_request, void (*)(idc_request *)> request;
  const void *const *const scalars;
  std::mutex mutex;                                                  // of what follows
  std::map<void *, std::unique_ptr<interfaces::Function>> functions; // by context; null for the CPU
};

} // namespace idc::xla
