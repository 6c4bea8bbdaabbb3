// SPDX-License-Identifier: GPL-2.0-or-later
// A client of "stap --language-server" made of Visual Studio Code's own modules: client.js MODULES STAP [--times [PAUSE]]. Prints TAP; with
// --times it is no test, and prints how long the first answer of each kind took, PAUSE seconds after the start.
"use strict";
const { spawn } = require("child_process");
const { createRequire } = require("module");
const path = require("path");
const protocol = createRequire(path.join(process.argv[2], "client.js"))("vscode-languageserver-protocol/node");
const stap = process.argv[3], times = process.argv[4] === "--times";

const uri = "file:///edited.stp";
let number = 0, failed = false, version = 0;
const told = new Map();
let waiting = [];

function check(good, name, found) {
    number++;
    if (!times) console.log(`${good ? "ok" : "not ok"} - npm's client: ${name}`);
    if (good) return;
    failed = true;
    console.log("# " + JSON.stringify(found, null, 1).slice(0, 2000).replace(/\n/g, "\n# "));
}

async function timed(name, what) {
    const begin = process.hrtime.bigint();
    const result = await what();
    if (times) console.log(`${name}: ${(Number(process.hrtime.bigint() - begin) / 1e6).toFixed(1)} ms`);
    return result;
}

const server = spawn(stap, ["--language-server"], { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((done) => server.on("exit", (code) => done(code)));
const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
connection.onNotification(protocol.PublishDiagnosticsNotification.type, (said) => {
    told.set(said.version, said.diagnostics);
    waiting = waiting.filter((one) => !one(said));
});
connection.listen();

function set(text) {
    version++;
    if (version === 1)
        connection.sendNotification(protocol.DidOpenTextDocumentNotification.type,
            { textDocument: { uri, languageId: "systemtap", version, text } });
    else
        connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
            { textDocument: { uri, version }, contentChanges: [{ text }] });
    return text;
}

// The completions at the end of a text.
async function complete(text) {
    const lines = set(text).split("\n");
    const result = await connection.sendRequest(protocol.CompletionRequest.type,
        { textDocument: { uri }, position: { line: lines.length - 1, character: lines[lines.length - 1].length } });
    return Array.isArray(result) ? result : result.items;
}

async function completes(kind, text, wanted) {
    const items = await timed(kind, () => complete(text));
    const item = items.find((one) => one.label === wanted);
    check(item !== undefined, `${kind} is completed`, items.map((one) => one.label));
    return item || {};
}

// The diagnostics of the text, when there are some.
function diagnostics(text) {
    set(text);
    return new Promise((done) => {
        const take = (said) => said.version === version && said.diagnostics.length > 0 && (done(said.diagnostics), true);
        if (!(told.has(version) && take({ version, diagnostics: told.get(version) }))) waiting.push(take);
    });
}

async function main() {
    const answer = await timed("initialize", () => connection.sendRequest(protocol.InitializeRequest.type,
        { processId: process.pid, rootUri: null, capabilities: { textDocument: { publishDiagnostics: { versionSupport: true } } } }));
    check(answer.capabilities.completionProvider !== undefined, "the server completes", answer);
    connection.sendNotification(protocol.InitializedNotification.type, {});
    await new Promise((done) => setTimeout(done, 1000 * Number(process.argv[5] || 0)));
    await completes("a probe point", "probe vfs.re", "read");
    if (process.env.HAVE_BTF === "yes") {
        await completes("a member", 'probe kernel.function("vfs_read") { x = $file->f_po', "f_pos");
        await completes("a member of a variable", 'probe kernel.function("vfs_read") {\n  f = $file\n  x = f->f_po', "f_pos");
        await completes("a member of a cast", 'probe begin {\n  t = @cast(7, "task_struct")\n  x = t->parent->pi', "pid");
    }
    const option = await completes("an option",
        '@option(shortest, 0, "-m TIME: duration in us -- ignore shorter waits")\nprobe end { x = short', "shortest");
    check(JSON.stringify(option.documentation || "").includes("ignore shorter waits"), "an option has its help", option);
    const wrong = await timed("a diagnostic", () => diagnostics("probe end {\n  x = = 1\n}"));
    check(wrong.length === 1 && wrong[0].range.start.line === 1 && wrong[0].range.start.character === 6,
        "a mistake of syntax is shown where it is", wrong);
    const unknown = await diagnostics("probe end {\n  exitt()\n}");
    check(unknown[0].message.includes("exitt"), "an unknown function is shown", unknown);
    await connection.sendRequest(protocol.ShutdownRequest.type);
    await connection.sendNotification(protocol.ExitNotification.type);
    check(await ended === 0, "the server ends with status 0", await ended);
}

main().catch((error) => check(false, "it goes through", String(error.stack))).finally(() => {
    if (!times) console.log(`1..${number}`);
    process.exit(failed ? 1 : 0);
});
