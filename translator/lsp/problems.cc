// SPDX-License-Identifier: GPL-2.0-or-later
#include "lsp/server.h"

namespace tapir::lsp {

namespace {

using nlohmann::json;

// Where in the script a message points; null: nowhere. Of what a macro made, to its use.
const SourceRef *place_in(const SourceRef &at, const SourceFile &script) {
    const SourceRef *found = nullptr;
    for (const SourceRef *ref = &at; ref; ref = ref->expansion)
        if (ref->file == &script) found = ref;
    return found;
}

const SourceRef *place_in(const Diagnostic &diagnostic, const SourceFile &script) {
    if (const SourceRef *found = place_in(diagnostic.at, script)) return found;
    for (const Diagnostic &cause : diagnostic.causes)
        if (const SourceRef *found = place_in(cause, script)) return found;
    return nullptr;
}

void add_causes(const Diagnostic &diagnostic, std::string &text) {
    for (const Diagnostic &cause : diagnostic.causes) {
        if (!cause.message.empty()) text += "\n" + cause.message;
        add_causes(cause, text);
    }
}

}  // namespace

std::vector<Problem> problems_of(const Diagnostics &diagnostics, const SourceFile &script) {
    std::vector<Problem> problems;
    for (const auto &diagnostic : diagnostics.all()) {
        Problem problem;
        problem.warning = diagnostic->severity == Severity::Warning;
        problem.text = diagnostic->message;
        add_causes(*diagnostic, problem.text);
        if (const SourceRef *at = place_in(*diagnostic, script)) {
            problem.line = at->line;
            problem.column = at->column;
            problem.length = at->text.size();
        }
        problems.push_back(std::move(problem));
    }
    return problems;
}

json to_json(const std::vector<Problem> &problems) {
    json list = json::array();
    for (const Problem &problem : problems)
        list.push_back({problem.line, problem.column, problem.length, problem.warning, problem.text});
    return list;
}

std::vector<Problem> problems_from(const json &list) {
    std::vector<Problem> problems;
    for (const json &one : list)
        problems.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
    return problems;
}

}  // namespace tapir::lsp
