#include "compiler/lsp/MessageQueue.h"

#include "llvm/Support/FormatVariadic.h"

using namespace idc;
using namespace idc::lsp;
using llvm::json::Object;
using llvm::json::Value;

MessageQueue::MessageQueue(std::FILE *file, std::function<void()> idle)
    : idle(std::move(idle)), reader([this, file] { read(file); }) {}

bool MessageQueue::isEndOfInput() const {
  std::lock_guard<std::mutex> lock(mutex);
  return ended && messages.empty();
}

/// A request that is answered with an error.
static Value refusal(llvm::StringRef method, Value id) {
  return Object{{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}, {"params", Object{}}};
}

/// Whether the transport can tell a request, a notification and a reply apart; it ends at what is none of them.
static bool isMessage(const Value &value) {
  const Object *object = value.getAsObject();
  return object && object->getString("jsonrpc") == "2.0" && (object->getString("method") || object->get("id"));
}

void MessageQueue::push(Value message) {
  std::lock_guard<std::mutex> lock(mutex);
  const Object &object = *message.getAsObject();
  if (object.getString("method") == "$/cancelRequest") {
    const Object *parameters = object.getObject("params");
    const Value *id = parameters ? parameters->get("id") : nullptr;
    for (Value &waiting : messages)
      if (const Value *own = waiting.getAsObject()->get("id"); id && own && *own == *id)
        waiting = refusal(cancelledMethod, *id);
    return;
  }
  messages.push_back(std::move(message));
  arrived.notify_one();
}

void MessageQueue::read(std::FILE *file) {
  llvm::lsp::JSONTransportInputOverFile input(file);
  bool exits = false;
  while (!exits && !input.isEndOfInput() && !input.hasError()) {
    std::string json;
    if (failed(input.readMessage(json)))
      continue;
    llvm::Expected<Value> message = llvm::json::parse(json);
    const bool isGood = message && isMessage(*message);
    if (!message) {
      llvm::consumeError(message.takeError());
    } else if (isGood) {
      exits = message->getAsObject()->getString("method") == "exit";
      push(std::move(*message));
    }
    if (!isGood)
      push(refusal(malformedMethod, nullptr));
  }
  std::lock_guard<std::mutex> lock(mutex);
  ended = true;
  arrived.notify_one();
}

llvm::LogicalResult MessageQueue::readStandardMessage(std::string &json) {
  std::unique_lock<std::mutex> lock(mutex);
  if (messages.empty()) {
    lock.unlock();
    idle();
    lock.lock();
  }
  arrived.wait(lock, [&] { return ended || !messages.empty(); });
  if (messages.empty())
    return llvm::failure();
  json = llvm::formatv("{0}", messages.front());
  messages.pop_front();
  return llvm::success();
}
