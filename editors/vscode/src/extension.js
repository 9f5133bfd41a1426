// Starts `idc lsp` for programs and connects the editor with it.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("idc");
  const command = settings.get("path");
  const args = ["lsp", ...settings.get("importFolders").map((folder) => "-I" + folder)];
  client = new LanguageClient("idc", "idc", { command, args }, { documentSelector: [{ scheme: "file", language: "id" }] });
  try {
    await client.start();
  } catch (error) {
    client = undefined; // what has not started cannot be stopped
    vscode.window.showErrorMessage(
      `The language server '${command} ${args.join(" ")}' does not start: ${error.message}. ` +
        "The setting idc.path says where idc is."
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) await running.dispose();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("idc.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("idc") ? restart() : undefined))
  );
  await start();
}

module.exports = { activate, deactivate: stop };
