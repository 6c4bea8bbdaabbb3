// SPDX-License-Identifier: GPL-2.0-or-later
#include "sdt/dtrace_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/command_words.h"
#include "common/files.h"
#include "common/run_program.h"
#include "common/standard_output.h"
#include "sdt/provider.h"

namespace tapir::sdt {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;  // of a source

// The words of an environment variable, or of `otherwise`.
Outcome<std::vector<std::string>> words_of(const char *variable, const char *otherwise) {
    const char *value = std::getenv(variable);
    const std::string text = value && *value ? value : otherwise;
    std::vector<std::string> words;
    if (text.find_first_not_of(" \t\n") == std::string::npos) return words;
    if (!split_words(text, words))
        return Fault{FaultTag::Misuse, std::string(variable) + " has more than words: " + text};
    return words;
}

bool is_set(const char *variable) {
    const char *value = std::getenv(variable);
    return value && *value;
}

Fault failed(const std::vector<std::string> &argv, const Ending &ending) {
    return {FaultTag::ProgramFailed, argv.front() + " ended " + ending.words()};
}

Outcome<std::string> read_source(const std::string &path) {
    std::string text;
    const int error =
        path == "-" ? read_descriptor(STDIN_FILENO, kMostBytes, text) : read_file(path.c_str(), kMostBytes, text);
    if (error) return Fault{FaultTag::FileUnreadable, path + ": " + std::strerror(error)};
    return text;
}

Outcome<std::string> preprocessed(const Options &options, const std::string &path) {
    auto argv = is_set("CPP") ? words_of("CPP", "") : words_of("CC", "cc");
    if (!argv) return argv.fault();
    if (!is_set("CPP")) argv->push_back("-E");
    argv->insert(argv->end(), options.for_preprocessor.begin(), options.for_preprocessor.end());
    argv->insert(argv->end(), {"-x", "c", path});
    Program program{*argv};
    Collected text{kMostBytes};
    program.output = Stream::collected(text);
    if (path == "-") program.input = Stream::inherited();
    const auto ending = run_program(program);
    if (!ending) return ending.fault();
    if (!ending->good()) return failed(*argv, *ending);
    return std::move(text.text);
}

Outcome<void> compile(const Options &options, const std::string &text, const std::string &output) {
    auto argv = words_of("CC", "cc");
    if (!argv) return argv.fault();
    const auto flags = words_of("CFLAGS", "");
    if (!flags) return flags.fault();
    argv->insert(argv->end(), flags->begin(), flags->end());
    if (options.m32) argv->push_back("-m32");
    // Only assembly names the semaphores: optimization at link time would take them for unused. From a pipe, so that
    // debug information does not depend on the name of a temporary file.
    argv->insert(argv->end(), {"-w", "-fno-lto", "-c", "-x", "c", "-", "-o", output});
    Program program{*argv};
    program.input = Stream::of_text(text);
    const auto ending = run_program(program);
    if (!ending) return ending.fault();
    return ending->good() ? Outcome<void>() : failed(*argv, *ending);
}

}  // namespace

Outcome<bool> run(const Options &options) {
    std::vector<Provider> providers;
    const std::string output = options.output_path();
    std::string kept, names;
    for (const std::string &path : options.sources) {
        auto text = options.preprocess ? preprocessed(options, path) : read_source(path);
        if (!text) return text.fault();
        kept += *text;
        const std::string name = path == "-" ? "<stdin>" : path;
        names += (names.empty() ? "" : ", ") + name;
        const auto report = [](const std::string &message) { std::fputs(message.c_str(), stderr); };
        if (!read_providers(*text, name, providers, report)) return false;
    }
    if (providers.empty()) return Fault{FaultTag::FileUnreadable, names + ": there is no provider in it"};
    if (options.keep && options.preprocess)
        if (auto written = write_file(output + ".i", kept); !written) return written.fault();
    if (options.make == Options::Make::Object) {
        const std::string text = semaphores_text(providers, names);
        if (options.keep)
            if (auto written = write_file(output + ".c", text); !written) return written.fault();
        const auto compiled = compile(options, text, output);
        if (!compiled) return compiled.fault();
        return true;
    }
    const std::string text = header_text(providers, names, options.types);
    if (output == "-") {
        print_output(text);
        return true;
    }
    if (auto written = write_file(output, text); !written) return written.fault();
    return true;
}

}  // namespace tapir::sdt
