// SPDX-License-Identifier: GPL-2.0-or-later
// The translator, as the language server asks it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/process.h"
#include "complete/complete.h"
#include "driver/pipeline.h"
#include "lsp/server.h"

namespace tapir::driver {

// Every kernel has the function.
inline constexpr const char *kAnyFunction = "kernel.function(\"vfs_read\")";

// Names of what is probed, from debug information. Each answer elaborates a probe of its own and is kept.
class PipelineNames : public complete::TargetNames {
  public:
    // `state` has a kernel, a library and its files.
    explicit PipelineNames(State &state) : state_(state) {}
    std::vector<complete::Name> variables(const std::string &points) override;
    std::vector<complete::Name> members(const std::string &points, const std::string &expression) override;
    std::vector<complete::Name> arguments(const std::string &point, const std::string &word) override;

  private:
    std::vector<std::string> list(const std::string &points, bool variables);
    std::unique_ptr<library::Library> open_library();
    std::unique_ptr<ast::File> parse_points(const SourceFile &script, library::Library &library);
    const resolve::ElaborateOptions &settings();
    const std::vector<complete::Name> *known(const std::string &question) const;
    std::vector<complete::Name> keep(const std::string &question, std::vector<complete::Name> names);

    State &state_;
    std::optional<resolve::ElaborateOptions> settings_;
    std::map<std::string, std::vector<complete::Name>> kept_;
};

class LanguageHost : public lsp::Host {
  public:
    // `words` are the command line, without the program.
    LanguageHost(State &state, std::vector<std::string> words)
        : state_(state), words_(std::move(words)), names_(state) {}
    const complete::Vocabulary &vocabulary() override;
    complete::TargetNames *target_names() override { return &names_; }
    std::vector<lsp::Problem> parse(const SourceFile &script) override;
    void warm_up() override;
    void begin_check(const std::string &text) override;
    int check_descriptor() override { return check_ ? check_->output_descriptor() : -1; }
    std::optional<std::vector<lsp::Problem>> take_check() override;

  private:
    State &state_;
    std::vector<std::string> words_;
    PipelineNames names_;
    std::unique_ptr<complete::Vocabulary> vocabulary_;
    std::unique_ptr<Process> check_;
    std::string found_;
};

// Parses a script as editors have it: some of its arguments may not be known.
std::unique_ptr<ast::File> parse_edited(State &state, const SourceFile &script, Diagnostics &diagnostics);

// Passes 1 and 2 of the text on standard input; the problems as JSON. `state` has a kernel and a library.
std::string check_edited(State &state);

}  // namespace tapir::driver
