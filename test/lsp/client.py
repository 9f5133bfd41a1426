"""A client of the language server, for tests: one process, spoken to as an editor does."""

import json
import pathlib
import queue
import subprocess
import threading

TIMEOUT = 120  # seconds for an answer, on a busy machine


class Failure(Exception):
    """The server's error: code and message."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """A server that is started and initialized; `end` shuts it down."""

    def __init__(self, command, root=None, initialize=True):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()
        self.diagnostics = {}  # by URI: the latest
        self.unread = []
        self.number = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if initialize:
            self.capabilities = self.request("initialize", {"processId": None, "rootUri": root and uri(root),
                                                            "capabilities": {}})["capabilities"]
            self.notify("initialized", {})

    def end(self, shutdown=True):
        """Ends the server as the protocol says, or by the end of its input; the exit status."""
        if shutdown:
            self.request("shutdown", None)
            self.notify("exit", None)
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self.reader.join()
        self.process.stdout.close()
        return status

    def _read(self):
        output = self.process.stdout
        while header := output.readline():
            length = int(header.split(b":")[1])
            output.readline()
            self.messages.put(json.loads(output.read(length)))
        self.messages.put(None)

    def send_text(self, text):
        """Bytes behind a right header, whatever they are."""
        data = text.encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def send(self, *messages):
        """Several messages at once: the server finds them together."""
        data = b""
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            data += b"Content-Length: %d\r\n\r\n" % len(body) + body
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        message = self.messages.get(timeout=TIMEOUT)
        assert message is not None, "the server has ended"
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]
        return message

    def answer(self, number):
        """The result of the request of that number; raises Failure for an error."""
        for message in self.unread:
            if message.get("id") == number:
                self.unread.remove(message)
                break
        else:
            while (message := self.receive()).get("id", "") != number or "method" in message:
                self.unread.append(message)
        if "error" in message:
            raise Failure(message["error"])
        return message["result"]

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.answer(self.number)

    # Documents.

    def open(self, path, text=None, version=1):
        """Opens a file with the text given, or its own, and returns what is wrong with it."""
        self.diagnostics.pop(uri(path), None)
        text = pathlib.Path(path).read_text() if text is None else text
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri(path), "languageId": "id", "version": version,
                                                              "text": text}})
        return self.wait_diagnostics(path)

    def change(self, path, text, version):
        self.diagnostics.pop(uri(path), None)
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri(path), "version": version},
                                               "contentChanges": [{"text": text}]})
        return self.wait_diagnostics(path)

    def wait_diagnostics(self, path):
        while uri(path) not in self.diagnostics:
            self.receive()
        return self.diagnostics[uri(path)]["diagnostics"]

    def at(self, method, path, position, **more):
        """A request about a position of a document."""
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri(path)}, "position": position, **more})


def uri(path):
    return pathlib.Path(path).resolve().as_uri()


def place(text, marked, offset=0):
    """The position of the first occurrence of `marked`, plus characters."""
    before = text[:text.index(marked) + offset]
    return {"line": before.count("\n"), "character": len(before.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2}


def covered(text, span):
    """The text of a range."""
    lines = text.split("\n")

    def offset(position):
        line = lines[position["line"]].encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le")
        return sum(len(other) + 1 for other in lines[:position["line"]]) + len(line)

    return text[offset(span["start"]):offset(span["end"])]


def applied(text, edits):
    """The text after edits of it."""
    lines = text.split("\n")

    def offset(position):
        return sum(len(other) + 1 for other in lines[:position["line"]]) + position["character"]

    for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text
