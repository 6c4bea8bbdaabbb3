// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/pragmas.h"

#include <algorithm>

#include "base/name_patterns.h"
#include "common/quoting.h"

namespace tapir::resolve {

namespace {

constexpr std::string_view kType = "pragma:type:", kNeeds = "pragma:needs:";

bool contains(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

}  // namespace

ast::Pragmas read_pragmas(std::string_view code) {
    ast::Pragmas pragmas;
    constexpr std::string_view kPragma = "pragma:";
    for (size_t at = code.find("/*"); at != std::string_view::npos; at = code.find("/*", at)) {
        size_t end = code.find("*/", at + 2);
        if (end == std::string_view::npos) break;
        std::string_view word = trim(code.substr(at + 2, end - at - 2), " \t\r\n");
        at = end + 2;
        if (word == "pure") pragmas.pure = true;
        if (word == "unprivileged") pragmas.unprivileged = true;
        if (word == "myproc-unprivileged") pragmas.myproc_unprivileged = true;
        if (word == "guru") pragmas.guru = true;
        if (word == "stable") pragmas.stable = true;
        if (word == "unmodified-fnargs") pragmas.unmodified_fnargs = true;
        if (word == "unmangled") pragmas.unmangled = true;
        if (word == "borrowed") pragmas.borrowed = true;
        if (!word.starts_with(kPragma)) continue;
        std::string_view rest = word.substr(kPragma.size());
        if (rest.starts_with("read:")) {
            pragmas.reads.emplace_back(rest.substr(5));
        } else if (rest.starts_with("write:")) {
            pragmas.writes.emplace_back(rest.substr(6));
        } else {
            pragmas.other.emplace_back(word);
        }
    }
    return pragmas;
}

const std::vector<std::string> &known_pragmas() {
    static const std::vector<std::string> known = {"pragma:unwind",
                                                   "pragma:symbols",
                                                   "pragma:lines",
                                                   "pragma:vma",
                                                   "pragma:uprobes",
                                                   "pragma:tagged_dfa",
                                                   "pragma:read",
                                                   "pragma:write",
                                                   "pragma:suffix",
                                                   "pragma:argument",
                                                   "pragma:user",
                                                   "pragma:type",
                                                   "pragma:work",
                                                   "pragma:needs",
                                                   std::string(kSyscallNames),
                                                   std::string(kSyscallTexts),
                                                   std::string(kSyscallHere),
                                                   std::string(kUntraced),
                                                   std::string(kAnywhere)};
    return known;
}

// A number of nanoseconds, below 10 seconds.
static bool is_work(std::string_view pragma) {
    constexpr std::string_view kWork = "pragma:work:";
    if (!pragma.starts_with(kWork)) return false;
    const std::string_view ns = pragma.substr(kWork.size());
    return !ns.empty() && ns.size() < 11 && ns.find_first_not_of("0123456789") == std::string_view::npos;
}

bool has_pragma(const ast::Function &function, std::string_view pragma) {
    const std::vector<std::string> &other = function.pragmas.other;
    return std::find(other.begin(), other.end(), pragma) != other.end();
}

static bool is_known_pragma(std::string_view pragma) {
    const std::vector<std::string> &known = known_pragmas();
    return std::find(known.begin(), known.end(), pragma) != known.end() || pragma.starts_with("pragma:suffix:") ||
           (pragma.starts_with(kType) && pragma.size() > kType.size()) || is_work(pragma) ||
           (pragma.starts_with(kNeeds) && find_need(pragma.substr(kNeeds.size()))) || pragma == "pragma:user:1" ||
           pragma == "pragma:user:2" || pragma == "pragma:user:4" || pragma == "pragma:user:8";
}

// Returns the first call that needs something which is not among the declared needs.
static const PortCall *undeclared_call(std::string_view code, const std::vector<PortNeed> &needs) {
    return find_call_in(code, [&](const PortCall &call) {
        return call.need != PortNeed::Script && std::find(needs.begin(), needs.end(), call.need) == needs.end();
    });
}

void check_pragmas(const ast::Function &function, Diagnostics &diagnostics) {
    const auto report = [&](Tag tag, const std::string &text) {
        diagnostics.report(tag, function.at, "function " + function.name + text);
    };
    if (function.pragmas.borrowed && function.declared != ast::Type::String)
        report(Tag::PragmaBorrowed, " is marked 'borrowed' and not ':string': only strings can be lent");
    if (function.pragmas.stable && !function.pragmas.pure)
        report(Tag::PragmaStable,
               " is marked 'stable' and not 'pure': only a function without side effects can give the same answer all "
               "through a probe");
    const std::vector<PortNeed> needs = declared_needs(function);
    if (const PortCall *call =
            needs.empty() || !function.embedded_c ? nullptr : undeclared_call(*function.embedded_c, needs))
        report(Tag::PragmaNeeds,
               " calls " + std::string(call->name) + "(), and so needs '" + std::string(need_word(call->need)) +
                   "', which it does not declare; write /* pragma:needs:" + std::string(need_word(call->need)) + " */");
    for (const std::string &pragma : function.pragmas.other)
        if (!is_known_pragma(pragma))
            report(Tag::PragmaUnknown,
                   " has an unknown pragma '" + pragma + "'" + similar_text(similar_names(pragma, known_pragmas(), 3)));
}

std::vector<PortNeed> declared_needs(const ast::Function &function) {
    std::vector<PortNeed> needs;
    for (const std::string &pragma : function.pragmas.other)
        if (pragma.starts_with(kNeeds))
            if (const auto need = find_need(std::string_view(pragma).substr(kNeeds.size()))) needs.push_back(*need);
    return needs;
}

std::string pragma_result(const ast::Function &function) {
    for (const std::string &pragma : function.pragmas.other)
        if (pragma.starts_with(kType)) return pragma.substr(kType.size());
    return "";
}

bool embedded_may_fall_through(std::string_view code) {
    return contains(code, "STAP_NEXT");
}

bool embedded_returns(std::string_view code) {
    return contains(code, "STAP_RETVALUE") || contains(code, "STAP_RETURN") || contains(code, "THIS->__retvalue");
}

}  // namespace tapir::resolve
