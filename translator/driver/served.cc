// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/served.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>

#include "build/cache.h"
#include "client/exchange.h"
#include "client/request.h"
#include "common/activity.h"
#include "common/build_id.h"
#include "common/hash.h"
#include "common/quoting.h"
#include "common/regular_file.h"
#include "common/standard_output.h"
#include "driver/clock.h"
#include "driver/script_options.h"
#include "library/tapset_index.h"
#include "options/color.h"
#include "options/tell.h"
#include "target/cache_dir.h"
#include "target/symbol_readers.h"

namespace tapir::driver {
namespace {

void say(const Options &options, const std::string &text) {
    std::fputs(colored(text, options.screen.colors).c_str(), stderr);
}

// Another machine's lines, without what could control this terminal.
std::string safe_lines(const std::string &text) {
    std::string lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        lines += printable(std::string_view(text).substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return lines;
}

Outcome<client::Request> make_request(const State &state, int last_pass) {
    const Options &options = state.options;
    client::Request request;
    if (options.script_file && *options.script_file != "-") request.name = *options.script_file;
    // It is in the plain language by now.
    if (options.sxx.on && !request.name.empty()) request.name += ".stp";
    request.script = state.sources.front()->text();
    request.arguments = options.script_args;
    request.options = server_options(options, last_pass);
    for (size_t i = 1; i < state.sources.size(); ++i) {
        request.options.push_back("-E");
        request.options.emplace_back(state.sources[i]->text());
    }
    request.release = state.kernel->release;
    request.build_id = kernel_build_id(options, state.kernel->is_running);
    library::IndexOptions own;
    own.directories = options.include_dirs;
    own.release = state.kernel->release;
    own.arch = state.kernel->arch;
    for (const library::IndexedFile &file : library::list_files(own)) {
        auto text = read_file(file.path);
        if (!text) return Fault{FaultTag::FileUnreadable, "cannot read " + file.path + ": " + file_error(errno)};
        if (!file.table) request.tapsets.emplace_back(file.path, std::move(*text));
    }
    for (const auto &text : state.used_texts)
        request.tapsets.emplace_back(text->name() + ".stp", text->text());
    return request;
}

// Advice for users on a refusal; "" if the text is enough.
std::string advice(const client::Answer &answer, const client::Settings &server) {
    if (answer.tag == "unauthenticated")
        return server.certificate.empty() && server.token_file.empty()
                   ? "; say who you are with --server-certificate and --server-key, or with --server-token"
                   : "";
    if (answer.tag == "kernel-unknown" || answer.tag == "kernel-mismatch")
        return "; the server's administrator can add the kernel ('stap-server --add-kernel')";
    if (answer.tag == "untrusted" && server.authority.empty())
        return "; --server-ca names the certificate of the authority that the server's is signed by";
    return {};
}

int report(const Options &options, const client::Settings &server, const client::Answer &answer) {
    say(options, safe_lines(answer.messages));
    // The messages have said what is wrong with the script.
    if (answer.tag == "script-refused" && !answer.messages.empty()) return 1;
    tell(
        options, Voice::Error,
        "The build server " + server.url + " made no module: " + printable(answer.text) + advice(answer, server) + ".");
    return 1;
}

// Puts the module and its signature where they can stay: the working directory with -m, else the cache.
bool keep(const Options &options, const client::Answer &answer, Served &served) {
    std::string why;
    const std::string file = answer.name + ".ko";
    if (!options.module_name.empty()) {
        if (replace_file(file, answer.bytes))
            served.module_path = file;
        else
            why = file + ": " + std::strerror(errno);
    } else {
        const std::string root = target::cache_dir();
        const auto mode = options.cache == CacheMode::Disable ? build::CacheMode::Disabled : build::CacheMode::Use;
        build::Cache cache(root + "/modules-served", mode, build::configured_cache_limit(root));
        const std::string key = sha256(answer.name + " " + sha256(answer.bytes));
        auto path = cache.find(key);
        if (!path)
            if (Outcome<std::string> stored = cache.store(key, file, answer.bytes)) path = std::move(*stored);
        if (!path) {
            const Outcome<std::string> directory = make_directory(temporary_root(), "stap");
            Outcome<void> written = directory ? Outcome<void>() : directory.fault();
            if (directory) {
                served.directory = std::make_unique<TemporaryDirectory>(*directory);
                path = *directory + "/" + file;
                written = write_file(*path, answer.bytes);
            }
            if (!written) why = written.fault().message();
        }
        if (why.empty()) served.module_path = *path;
    }
    const std::string signature = served.module_path + ".sig";
    if (why.empty() && answer.signature.empty()) unlink(signature.c_str());
    if (why.empty() && !answer.signature.empty() && !replace_file(signature, answer.signature))
        why = signature + ": " + std::strerror(errno);
    if (why.empty()) return true;
    tell(options, Voice::Error, "Cannot keep the module that the build server made: " + why);
    served.module_path.clear();
    return false;
}

}  // namespace

std::string running_build_id() {
    const auto notes = read_file("/sys/kernel/notes");
    return notes ? build_id_of_notes(*notes) : "";
}

std::string kernel_build_id(const Options &options, bool is_running) {
    if (options.remote_build) return options.remote_build_id;
    return is_running ? running_build_id() : "";
}

// Without those of the script's options, which the server sets by itself.
static std::vector<NameValue> plain_globals(const Options &options) {
    std::vector<NameValue> globals = options.globals;
    std::erase_if(globals, [&](const NameValue &global) { return is_option(options, global.name); });
    return globals;
}

std::vector<std::string> server_options(const Options &options, int last_pass) {
    std::vector<std::string> words;
    const auto flag = [&words](bool wanted, const char *word) {
        if (wanted) words.push_back(word);
    };
    flag(options.guru, "-g");
    flag(options.unoptimized, "-u");
    flag(options.suppress_warnings, "-w");
    flag(options.warnings_as_errors, "-W");
    flag(!options.autoprint, "--no-global-var-display");
    flag(options.live.on(), options.live.monitor ? "--monitor" : "--refresh");
    flag(options.live.metrics, "--metrics");
    flag(options.suppress_handler_errors, "--suppress-handler-errors");
    flag(options.suppress_time_limits, "--suppress-time-limits");
    flag(options.check_version, "--check-version");
    flag(options.skip_badvars, "--skip-badvars");
    flag(options.semantic_keep_going, "--semantic-keep-going");
    const int verbosity = *std::min_element(options.verbosity + 1, options.verbosity + 5);
    for (int i = 0; i < verbosity; ++i)
        words.push_back("-v");
    if (!options.compatible.empty()) words.push_back("--compatible=" + options.compatible);
    if (options.prologue != "auto") words.push_back("--prologue-searching=" + options.prologue);
    const auto pairs = [&words](const char *option, const std::vector<NameValue> &list) {
        for (const NameValue &pair : list) {
            words.push_back(option);
            words.push_back(pair.name + "=" + pair.value);
        }
    };
    pairs("-D", options.defines);
    pairs("-G", plain_globals(options));
    // The loader sets the others: the same module serves them all.
    for (const NameValue &value : options.option_values)
        if (options.tool->head.find(value.name)->rebuilds)
            words.push_back("--option=" + value.name + "=" + value.value);
    // The loader knows the share.
    if (!options.budget.empty()) words.push_back("--budget=" + options.budget);
    if (!options.module_name.empty()) words.insert(words.end(), {"-m", options.module_name});
    if (last_pass < 4) words.push_back("-p" + std::to_string(last_pass));
    return words;
}

Served build_at_server(const State &state, int last_pass) {
    Served served;
    const Options &options = state.options;
    client::Settings server = options.server;
    const auto fail = [&](const std::string &why) {
        tell(options, Voice::Error, why + ".");
        return std::move(served);
    };
    if (const Outcome<void> added = client::add_settings_of_files(server); !added) return fail(added.fault().message());
    if (server.url.empty())
        return fail(
            "No build server is known: name it (--use-server=URL), or put url=URL into "
            "~/.config/tapir/client.conf or /etc/tapir/client.conf");
    const Outcome<client::Request> request = make_request(state, last_pass);
    const Outcome<std::string> body = request ? client::body_of(*request) : request.fault();
    if (!body) return fail("Nothing was sent to the build server: " + body.fault().message());

    PassClock clock;
    const bool verbose = options.verbosity[4] > 0;
    client::ExchangeOptions exchange;
    const std::string activity = "waiting for the build server " + server.url;
    std::optional<Activity> waiting;
    // The line of the activity gives way to others.
    const auto beside = [&](const std::function<void()> &print) {
        waiting.reset();
        print();
        waiting.emplace(activity);
    };
    exchange.note = [&](const std::string &line) {
        if (verbose) beside([&] { say(options, safe_lines(line)); });
    };
    exchange.retry = [&](const std::string &reason) {
        beside([&] {
            tell(options, Voice::Notice, "The build server " + server.url + " is asked again: " + printable(reason));
        });
    };
    waiting.emplace(activity);
    const client::Answer answer = client::ask(server, *body, exchange);
    waiting.reset();
    if (answer.kind == client::Answer::Kind::Refused) {
        report(options, server, answer);
        return served;
    }
    say(options, safe_lines(answer.messages));
    if (answer.kind == client::Answer::Kind::Text) {
        print_output(answer.output);
        served.status = 0;
        return served;
    }
    if (answer.release != state.kernel->release)
        return fail("The build server " + server.url + " made a module for '" + printable(answer.release) +
                    "', not for " + state.kernel->release);
    if (keep(options, answer, served) && verbose)
        std::fprintf(stderr, "Pass 4: %s by the build server %s in %s.\n", answer.cached ? "found" : "compiled",
                     server.url.c_str(), clock.times().c_str());
    return served;
}

}  // namespace tapir::driver
