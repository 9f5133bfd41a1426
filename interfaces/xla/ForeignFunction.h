// What passes between XLA and a function of others: the binary layout of XLA's foreign function interface, version 0
// (xla/ffi/api/c_api.h), as far as a function that takes and gives arrays needs it. Structures begin with their size,
// and what later versions add lies behind the members here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace idc::xla {

struct Error; // XLA's

/// What a structure carries beyond its members.
struct Extension {
  enum Type : int { Metadata = 1 };
  size_t size;
  Type type;
  Extension *next;
};

struct Version {
  size_t size;
  Extension *extension;
  int major, minor;
};

/// Asks a function what it is; nothing is to be executed.
struct MetadataExtension {
  struct Answer {
    size_t size;
    Version version;
    uint32_t traits;
  };
  Extension extension;
  Answer *answer;
};

struct Context; // XLA's, of one execution

struct ErrorArguments {
  size_t size = sizeof(ErrorArguments);
  Extension *extension = nullptr;
  const char *message;
  int code;
};

struct ErrorEnd {
  size_t size = sizeof(ErrorEnd);
  Extension *extension = nullptr;
  Error *error;
};

struct StreamArguments {
  size_t size = sizeof(StreamArguments);
  Extension *extension = nullptr;
  Context *context;
  void *stream = nullptr; // CUstream
};

struct AllocateArguments {
  size_t size = sizeof(AllocateArguments);
  Extension *extension = nullptr;
  Context *context;
  size_t bytes, alignment;
  void *memory = nullptr;
};

struct FreeArguments {
  size_t size = sizeof(FreeArguments);
  Extension *extension = nullptr;
  Context *context;
  size_t bytes;
  void *memory;
};

/// XLA's functions; those that are not used here have no types.
struct Functions {
  size_t size;
  Extension *extension;
  Version version;
  void *internal;
  Error *(*makeError)(ErrorArguments *);
  void *errorDetails;
  void (*destroyError)(ErrorEnd *);
  void *registerHandler;
  Error *(*stream)(StreamArguments *);
  void *registerType, *contextData, *setState, *getState;
  Error *(*allocate)(AllocateArguments *);
  Error *(*free)(FreeArguments *);
};

/// A dense array, the last dimension fastest.
struct Buffer {
  size_t size;
  Extension *extension;
  int type;
  void *data;
  int64_t rank;
  int64_t *lengths;
};

/// Arguments, or results: all of them buffers (type 1) here.
struct Buffers {
  size_t size;
  Extension *extension;
  int64_t count;
  int *types;
  Buffer **buffers;
};

struct Text {
  const char *data;
  size_t length;
};

struct Number {
  enum Type : int { Int64 = 5 };
  Type type;
  const void *value;
};

struct Attributes {
  enum Type : int { Scalar = 3 };
  size_t size;
  Extension *extension;
  int64_t count;
  Type *types;
  Text **names;
  void **values; // a Number * for a Scalar
};

struct Call {
  enum Stage : int { Execute = 3 };
  size_t size;
  Extension *extension;
  const Functions *functions;
  Context *context;
  Stage stage;
  Buffers arguments, results;
  Attributes attributes;
};

} // namespace idc::xla
