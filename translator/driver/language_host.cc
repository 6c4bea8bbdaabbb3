// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/language_host.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "common/files.h"
#include "docs/kept_catalogue.h"
#include "driver/script_options.h"
#include "syntax/parser.h"
#include "tool/script.h"
#include "types/infer.h"

namespace tapir::driver {

namespace {

constexpr size_t kMaxText = size_t{16} << 20;

// Arguments that the user will give are not known: numbers stand for them.
constexpr size_t kArguments = 99;

// A script with what its head says, so that options that stand for literals are such.
std::shared_ptr<const tool::Script> head_of(const SourceFile &script) {
    Diagnostics ignored;
    if (!tool::has_head(script.text())) return nullptr;
    return tool::script_of_text(std::string(script.text()), ignored);
}

}  // namespace

std::unique_ptr<ast::File> parse_edited(State &state, const SourceFile &script, Diagnostics &diagnostics) {
    Options options = state.options;
    options.guru = true;
    options.script_args.assign(kArguments, "1");
    options.tool = head_of(script);
    State own(options, state.backend, diagnostics);
    own.kernel = state.kernel;
    syntax::ParseOptions settings = parse_settings(own);
    settings.used_args = &state.used_args;
    settings.library_macros = &state.library->macros();
    state.used_args.clear();
    add_option_values(own, settings);
    if (script.name().ends_with(".stpm")) {
        syntax::MacroTable macros;
        syntax::parse_macros(script, settings, macros, diagnostics);
        return std::make_unique<ast::File>();
    }
    std::unique_ptr<ast::File> file = syntax::parse(script, settings, diagnostics);
    // Messages point into them.
    for (auto &text : own.option_texts)
        state.option_texts.push_back(std::move(text));
    return file;
}

std::string check_edited(State &state) {
    std::string text;
    if (read_descriptor(STDIN_FILENO, kMaxText, text)) return "[]";
    state.sources.push_back(std::make_unique<SourceFile>("script.stp", std::move(text), Origin::UserScript));
    const SourceFile &script = *state.sources.back();
    Diagnostics found;
    std::unique_ptr<ast::File> file = parse_edited(state, script, found);
    // Without a probe it is a part of something; with arguments it depends on these.
    const bool whole = !file->probes.empty() && state.used_args.empty();
    if (whole && !found.has_errors()) {
        state.files.push_back(std::move(file));
        resolve::ElaborateOptions settings = elaborate_settings(state);
        settings.guru = true;
        if (const auto tool = head_of(script))
            for (const tool::Option &option : tool->head.options)
                (option.is_loaded() ? settings.loaded_options : settings.literal_options).push_back(option.name);
        state.program = resolve::elaborate(std::move(state.files), *state.library, settings, found);
        if (!found.has_errors()) types::infer(*state.program, {}, found);
    }
    return lsp::to_json(lsp::problems_of(found, script)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const complete::Vocabulary &LanguageHost::vocabulary() {
    if (!vocabulary_) {
        // System calls are those that any kernel has.
        vocabulary_ = std::make_unique<complete::Vocabulary>(docs::kept_catalogue(tapset_settings(state_)));
    }
    return *vocabulary_;
}

std::vector<lsp::Problem> LanguageHost::parse(const SourceFile &script) {
    Diagnostics found;
    state_.option_texts.clear();
    parse_edited(state_, script, found);
    return lsp::problems_of(found, script);
}

// The first $variable waits for the symbols of the kernel and for its types: any function has them read.
void LanguageHost::warm_up() {
    names_.variables(kAnyFunction);
}

void LanguageHost::begin_check(const std::string &text) {
    constexpr uint64_t kSeconds = 60, kBytes = uint64_t{4} << 30;
    check_ = std::make_unique<Process>();
    found_.clear();
    Program program;
    program.argv = {"/proc/self/exe"};
    for (const std::string &word : words_)
        program.argv.push_back(word == "--language-server" ? "--language-check" : word);
    program.input = Stream::pipe();
    program.output = Stream::pipe();
    program.errors = Stream::nothing();
    program.death_signal = SIGKILL;
    program.limits = {{RLIMIT_CPU, {kSeconds, kSeconds}}, {RLIMIT_AS, {kBytes, kBytes}}};
    if (!check_->start(program)) {
        check_.reset();
        return;
    }
    check_->send(text);
    check_->end_input();
    check_->write();
}

std::optional<std::vector<lsp::Problem>> LanguageHost::take_check() {
    if (!check_) return std::nullopt;
    if (check_->input_descriptor() >= 0) check_->write();
    if (check_->read_output(found_) || check_->output_descriptor() >= 0) return std::nullopt;
    check_->wait();
    const bool good = check_->ending().good();
    check_.reset();
    const nlohmann::json list = nlohmann::json::parse(found_, nullptr, false);
    if (!good || !list.is_array()) return std::nullopt;
    return lsp::problems_from(list);
}

}  // namespace tapir::driver
