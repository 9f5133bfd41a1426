#include "compiler/lsp/Server.h"

#include "compiler/frontend/Format.h"
#include "compiler/lsp/Features.h"
#include "compiler/lsp/MessageQueue.h"
#include "compiler/lsp/Parameters.h"
#include "compiler/lsp/Positions.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using namespace idc::lsp;
using llvm::Expected;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::Callback;
using llvm::lsp::ErrorCode;
using llvm::lsp::LSPError;
using llvm::lsp::TextDocumentPositionParams;

namespace {

class Server {
public:
  Server(std::FILE *input, llvm::raw_ostream &output, std::vector<std::string> libraries, std::string version)
      : version(std::move(version)), workspace(std::move(libraries)),
        transport(std::make_unique<MessageQueue>(input, [this] { publish(); }), output), handler(transport),
        publishDiagnostics(
            handler.outgoingNotification<llvm::lsp::PublishDiagnosticsParams>("textDocument/publishDiagnostics")) {
    handler.method("initialize", this, &Server::initialize);
    handler.notification("initialized", this, &Server::ignore);
    handler.notification("$/setTrace", this, &Server::ignore);
    handler.notification("textDocument/didOpen", this, &Server::open);
    handler.notification("textDocument/didChange", this, &Server::change);
    handler.notification("textDocument/didSave", this, &Server::ignore);
    handler.notification("textDocument/didClose", this, &Server::close);
    handler.method("textDocument/hover", this, &Server::answer<TextDocumentPositionParams, &Server::hover>);
    handler.method("textDocument/definition", this, &Server::answer<TextDocumentPositionParams, &Server::definition>);
    handler.method("textDocument/references", this, &Server::answer<llvm::lsp::ReferenceParams, &Server::references>);
    handler.method("textDocument/prepareRename", this,
                   &Server::answer<TextDocumentPositionParams, &Server::prepareRename>);
    handler.method("textDocument/rename", this, &Server::answer<RenameParameters, &Server::rename>);
    handler.method("textDocument/completion", this, &Server::answer<llvm::lsp::CompletionParams, &Server::completion>);
    handler.method("textDocument/formatting", this, &Server::answer<FormattingParameters, &Server::formatting>);
    handler.method("textDocument/inlayHint", this, &Server::answer<llvm::lsp::InlayHintsParams, &Server::inlayHint>);
    handler.method("textDocument/documentSymbol", this,
                   &Server::answer<llvm::lsp::DocumentSymbolParams, &Server::documentSymbol>);
    handler.method("shutdown", this, &Server::answer<llvm::lsp::NoParams, &Server::shutdown>);
    handler.method(cancelledMethod, this, &Server::refuseCancelled);
    handler.method(malformedMethod, this, &Server::refuseMalformed);
  }

  int run() {
    llvm::consumeError(transport.run(handler)); // ends with the input
    return state == State::Ended ? 0 : 1;
  }

private:
  //===--------------------------------------------------------------------===//
  // The connection
  //===--------------------------------------------------------------------===//

  void initialize(const InitializeParameters &parameters, Callback<Value> reply) {
    if (state != State::New)
      return reply(llvm::make_error<LSPError>("the server is initialized already", ErrorCode::InvalidRequest));
    state = State::Running;
    workspace.setRoots(parameters.folders);
    Object capabilities{
        {"textDocumentSync",
         Object{{"openClose", true}, {"change", static_cast<int>(llvm::lsp::TextDocumentSyncKind::Full)}}},
        {"hoverProvider", true},
        {"definitionProvider", true},
        {"referencesProvider", true},
        {"renameProvider", Object{{"prepareProvider", true}}},
        {"completionProvider", Object{{"triggerCharacters", Array{".", ">", "\""}}}},
        {"documentFormattingProvider", true},
        {"inlayHintProvider", true},
        {"documentSymbolProvider", true}};
    reply(Object{{"capabilities", std::move(capabilities)},
                 {"serverInfo", Object{{"name", "idc"}, {"version", version}}}});
  }

  void ignore(const llvm::lsp::NoParams &) {}

  void refuseCancelled(const llvm::lsp::NoParams &, Callback<Value> reply) {
    reply(llvm::make_error<LSPError>("cancelled", ErrorCode::RequestCancelled));
  }

  void refuseMalformed(const llvm::lsp::NoParams &, Callback<Value> reply) {
    reply(llvm::make_error<LSPError>("this is no message of JSON-RPC 2.0", ErrorCode::InvalidRequest));
  }

  /// A request as a function of its parameters, between initialize and shutdown.
  template <typename Parameters, auto respond> void answer(const Parameters &parameters, Callback<Value> reply) {
    if (state == State::New)
      return reply(llvm::make_error<LSPError>("initialize comes first", ErrorCode::ServerNotInitialized));
    if (state == State::Ended)
      return reply(llvm::make_error<LSPError>("the server has been shut down", ErrorCode::InvalidRequest));
    auto result = (this->*respond)(parameters);
    if (!result)
      return reply(result.takeError());
    reply(Value(*result)); // which refers to texts of the result
  }

  Expected<std::nullptr_t> shutdown(const llvm::lsp::NoParams &) {
    state = State::Ended;
    return nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Documents
  //===--------------------------------------------------------------------===//

  void open(const llvm::lsp::DidOpenTextDocumentParams &parameters) {
    const llvm::lsp::TextDocumentItem &document = parameters.textDocument;
    workspace.setText(pathOf(document.uri), document.text, document.version);
    isStale = true;
  }

  void change(const llvm::lsp::DidChangeTextDocumentParams &parameters) {
    const std::string path = pathOf(parameters.textDocument.uri);
    // An older text, and one of a document that is not open, come out of order: what is there is newer.
    auto known = workspace.open().find(path);
    if (known == workspace.open().end() || parameters.textDocument.version < known->second)
      return;
    for (const llvm::lsp::TextDocumentContentChangeEvent &event : parameters.contentChanges)
      if (!event.range) // whole texts were asked for
        workspace.setText(path, event.text, parameters.textDocument.version);
    isStale = true;
  }

  void close(const llvm::lsp::DidCloseTextDocumentParams &parameters) {
    workspace.close(pathOf(parameters.textDocument.uri));
    isStale = true;
  }

  /// Shows what is wrong with everything that is open, and with what it imports, and takes back what no longer is.
  void publish() {
    if (!isStale || state != State::Running)
      return;
    isStale = false;
    Messages all;
    for (const auto &[path, version] : workspace.open())
      for (const auto &[file, messages] : workspace.analysis(path).messages()) {
        std::vector<llvm::lsp::Diagnostic> &list = all[file];
        for (const llvm::lsp::Diagnostic &message : messages) // several programs may import a file
          if (llvm::none_of(list, [&](const llvm::lsp::Diagnostic &other) {
                return other.range == message.range && other.message == message.message;
              }))
            list.push_back(message);
      }
    for (const std::string &path : shown)
      all[path]; // nothing, when nothing is wrong any more
    shown.clear();
    for (auto &[path, messages] : all) {
      Expected<llvm::lsp::URIForFile> uri = llvm::lsp::URIForFile::fromFile(path);
      if (!uri) {
        llvm::consumeError(uri.takeError());
        continue;
      }
      auto version = workspace.open().find(path);
      llvm::lsp::PublishDiagnosticsParams parameters(*uri, version == workspace.open().end() ? 0 : version->second);
      if (!messages.empty())
        shown.insert(path);
      parameters.diagnostics = std::move(messages);
      publishDiagnostics(parameters);
    }
  }

  //===--------------------------------------------------------------------===//
  // Requests
  //===--------------------------------------------------------------------===//

  static std::string pathOf(const llvm::lsp::URIForFile &uri) { return canonicalPath(uri.file()); }
  Analysis &analysisOf(const llvm::lsp::TextDocumentIdentifier &document) {
    return workspace.analysis(pathOf(document.uri));
  }

  Expected<std::optional<llvm::lsp::Hover>> hover(const TextDocumentPositionParams &parameters) {
    return lsp::hover(analysisOf(parameters.textDocument), parameters.position);
  }
  Expected<std::vector<llvm::lsp::Location>> definition(const TextDocumentPositionParams &parameters) {
    return lsp::definition(analysisOf(parameters.textDocument), parameters.position);
  }
  Expected<std::vector<llvm::lsp::Location>> references(const llvm::lsp::ReferenceParams &parameters) {
    return lsp::references(workspace, pathOf(parameters.textDocument.uri), parameters.position,
                           parameters.context.includeDeclaration);
  }
  Expected<llvm::lsp::Range> prepareRename(const TextDocumentPositionParams &parameters) {
    return lsp::renamed(workspace, pathOf(parameters.textDocument.uri), parameters.position);
  }
  Expected<llvm::lsp::WorkspaceEdit> rename(const RenameParameters &parameters) {
    return lsp::rename(workspace, pathOf(parameters.textDocument.uri), parameters.position, parameters.newName);
  }
  Expected<llvm::lsp::CompletionList> completion(const llvm::lsp::CompletionParams &parameters) {
    return lsp::complete(workspace, pathOf(parameters.textDocument.uri), parameters.position);
  }
  Expected<std::vector<Value>> inlayHint(const llvm::lsp::InlayHintsParams &parameters) {
    return lsp::inlayHints(analysisOf(parameters.textDocument), parameters.range);
  }
  Expected<std::vector<llvm::lsp::DocumentSymbol>> documentSymbol(const llvm::lsp::DocumentSymbolParams &parameters) {
    return lsp::outline(analysisOf(parameters.textDocument));
  }
  /// No edit when the text has syntax errors, which are shown already, or is in the style.
  Expected<std::vector<llvm::lsp::TextEdit>> formatting(const FormattingParameters &parameters) {
    Analysis &analysis = analysisOf(parameters.textDocument);
    frontend::Diagnostics unseen;
    std::optional<std::string> text = frontend::format(analysis.text().str(), analysis.path, unseen);
    if (!text || *text == analysis.text())
      return std::vector<llvm::lsp::TextEdit>();
    return std::vector<llvm::lsp::TextEdit>{{wholeRange(analysis.text()), *text}};
  }

  enum class State { New, Running, Ended } state = State::New;
  std::string version;
  Workspace workspace;
  bool isStale = false;        // texts have changed since diagnostics were shown
  std::set<std::string> shown; // files with diagnostics
  llvm::lsp::JSONTransport transport;
  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<llvm::lsp::PublishDiagnosticsParams> publishDiagnostics;
};

} // namespace

int lsp::serve(std::FILE *input, llvm::raw_ostream &output, std::vector<std::string> libraries,
               const std::string &version) {
  llvm::lsp::Logger::setLogLevel(llvm::lsp::Logger::Level::Error);
  return Server(input, output, std::move(libraries), version).run();
}
