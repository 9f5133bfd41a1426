// The editor's messages, read ahead of what is worked on: a request that is cancelled before its turn is not computed,
// and texts that are typed over are not checked.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace idc::lsp {

/// Requests of this method are those that were cancelled, and those of the other are no messages of the protocol: the
/// one who asked gets an error in either case.
constexpr llvm::StringLiteral cancelledMethod = "idc/cancelled", malformedMethod = "idc/malformed";

class MessageQueue final : public llvm::lsp::JSONTransportInput {
public:
  /// Reads from a file until its end, or until a message `exit`. `idle` is called, on the thread that takes messages,
  /// whenever there is none left.
  MessageQueue(std::FILE *file, std::function<void()> idle);
  ~MessageQueue() override { reader.join(); }

  bool hasError() const override { return false; }
  bool isEndOfInput() const override;
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &json) override { return readStandardMessage(json); }

private:
  void read(std::FILE *file);
  void push(llvm::json::Value message);

  std::function<void()> idle;
  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::deque<llvm::json::Value> messages;
  bool ended = false;
  std::thread reader;
};

} // namespace idc::lsp
