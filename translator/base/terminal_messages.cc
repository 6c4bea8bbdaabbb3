// SPDX-License-Identifier: GPL-2.0-or-later
//     error: no match for "sched_swich"
//       --> <input>:1:20
//        |
//      1 | probe kernel.trace("sched_swich") { }
//        |                    ^^^^^^^^^^^^^
//     help: similar tracepoints: sched_switch
#include "base/terminal_messages.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/help.h"
#include "base/source_window.h"
#include "common/quoting.h"

namespace tapir {

namespace {

// As many of one kind as the other form shows.
constexpr size_t kMostSimilar = 20;
constexpr int kMostExpansions = 8;

struct Place {
    SourceRef at;
    std::string why;
};

// A problem with the places that need it, the outermost first.
struct Problem {
    const Diagnostic *what;
    std::vector<const Diagnostic *> needed_at;
    bool repeated = false;  // one before it says the same of the same place
};

void collect(const Diagnostic &diagnostic, std::vector<const Diagnostic *> needed_at, std::vector<Problem> &out) {
    if (!diagnostic.leads_on) {
        out.push_back({&diagnostic, std::move(needed_at), false});
        return;
    }
    needed_at.push_back(&diagnostic);
    for (const Diagnostic &cause : diagnostic.causes)
        collect(cause, needed_at, out);
}

std::vector<Problem> problems_of(const Diagnostics &diagnostics) {
    std::vector<Problem> out;
    for (const auto &diagnostic : diagnostics.all())
        collect(*diagnostic, {}, out);
    std::set<std::tuple<Tag, std::string, const SourceFile *, uint32_t, uint32_t>> seen;
    for (Problem &problem : out) {
        const SourceRef &at = problem.what->at;
        problem.repeated = !seen.emplace(problem.what->tag, problem.what->message, at.file, at.line, at.column).second;
    }
    return out;
}

// "no match (similar marks: a, b)": the names are advice, and their part begins with one of these.
size_t find_advice(const std::string &message) {
    for (const std::string_view word : {" (similar", " (alternatives"})
        if (const size_t at = message.find(word); at != std::string::npos) return at;
    return std::string::npos;
}

// Where the parenthesis ends that opens at or after `from`; npos: nowhere. Names have some of their own.
size_t closing(const std::string &text, size_t from) {
    int open = 0;
    for (size_t at = text.find_first_of("()", from); at != std::string::npos; at = text.find_first_of("()", at + 1)) {
        open += text[at] == '(' ? 1 : -1;
        if (open <= 0) return at;
    }
    return std::string::npos;
}

class Block {
  public:
    Block(const Problem &problem, const Screen &screen) : problem_(problem), screen_(screen) {}

    std::string text() {
        const Diagnostic &what = *problem_.what;
        headline_ = what.message;
        take_advice();
        if (headline_ == "no match" && what.at) headline_ += " for " + token();
        if (what.tag == Tag::SyntaxError && what.at && !headline_.empty())
            headline_ += what.at.kind == TokenKind::EndOfFile ? ", saw the end of the file" : ", saw " + token();
        // The file of the user comes first; within one line the place of the problem says it all.
        for (const Diagnostic *outer : problem_.needed_at)
            if (outer->at.file != what.at.file || outer->at.line != what.at.line) needing_.push_back({outer->at, ""});
        add(what, "");
        return laid_out();
    }

  private:
    std::string token() const {
        const std::string text = printable(first_line(problem_.what->at.text));
        return text.starts_with('"') ? text : "'" + text + "'";
    }

    void take_advice() {
        const size_t at = find_advice(headline_);
        if (at == std::string::npos) return;
        const size_t end = closing(headline_, at);
        if (end == std::string::npos) return;
        std::string advice = headline_.substr(at + 2, end - at - 2);
        if (advice.starts_with("alternatives:")) advice.replace(0, advice.find(':') + 1, "there is");
        helps_.push_back(std::move(advice));
        headline_.erase(at, end + 1 - at);
    }

    // The places of a message: its own, the uses of macros that it came through, and those of its causes.
    void add(const Diagnostic &message, std::string why) {
        if (message.at) {
            places_.push_back({shown_place(message.at), std::move(why)});
            int shown = 0;
            for (const SourceRef *use = message.at.expansion; use; use = use->expansion)
                if (++shown <= kMostExpansions)
                    places_.push_back({*use, "in the expansion of " + printable(first_line(use->text))});
            if (shown > kMostExpansions)
                places_.back().why += ", and " + std::to_string(shown - kMostExpansions) + " more macros";
        }
        for (const Diagnostic &cause : message.causes)
            if (is_help(cause))
                helps_.push_back(cause.message);
            else
                add(cause, cause.message);
    }

    std::string laid_out() {
        const bool is_error = problem_.what->severity == Severity::Error;
        if (!needing_.empty() && !places_.empty()) places_.front().why = "which needs this";
        places_.insert(places_.begin(), needing_.begin(), needing_.end());
        uint32_t last = 1;
        for (const Place &place : places_)
            last = std::max(last, place.at.line);
        std::string out = said(screen_, is_error ? Voice::Error : Voice::Notice, headline_);
        for (const Place &place : places_)
            out += source_window(place.at, std::to_string(last).size(), place.why, screen_);
        for (const std::string &help : helps_)
            out += said(screen_, Voice::Help, help);
        return out + "\n";
    }

    const Problem &problem_;
    const Screen &screen_;
    std::string headline_;
    std::vector<Place> needing_, places_;
    std::vector<std::string> helps_;
};

}  // namespace

std::string render_for_terminal(const Diagnostics &diagnostics, bool verbose, const Screen &screen) {
    std::string out;
    std::map<Tag, size_t> shown;
    size_t hidden = 0;
    for (const Problem &problem : problems_of(diagnostics)) {
        const Tag tag = problem.what->tag;
        if (!verbose && (problem.repeated || shown[tag] >= kMostSimilar)) {
            ++hidden;
            continue;
        }
        ++shown[tag];
        out += Block(problem, screen).text();
    }
    if (hidden)
        out += said(screen, Voice::Notice,
                    std::to_string(hidden) + (hidden == 1 ? " message" : " messages") +
                        " like those above left out: -v shows all") +
               "\n";
    return out;
}

size_t error_problems(const Diagnostics &diagnostics) {
    const std::vector<Problem> problems = problems_of(diagnostics);
    return static_cast<size_t>(std::count_if(problems.begin(), problems.end(), [](const Problem &problem) {
        return !problem.repeated && problem.what->severity == Severity::Error;
    }));
}

}  // namespace tapir
