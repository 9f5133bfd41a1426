//===- ThreadSanitizer.cpp - settings of the tests that look for races ----===//

extern "C" const char *__tsan_default_options();

/// A child process of a process with threads may start threads of its own.
const char *__tsan_default_options() { return "die_after_fork=0"; }
