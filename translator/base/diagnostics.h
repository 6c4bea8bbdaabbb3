// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics are data: passes report them, only the driver prints them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace tapir {

// Stable names, one per kind of message; each has a test named after it.
enum class Tag : uint16_t {
#define TAPIR_DIAGNOSTIC(name, severity, stage) name,
#include "base/diagnostic_tags.def"
#undef TAPIR_DIAGNOSTIC
};

enum class Severity : uint8_t { Error, Warning };

// Decides the label: "parse error", "semantic error", "translation error", plain "ERROR".
enum class Stage : uint8_t { Usage, Parse, Semantic, Translate, Build, Run };

Severity tag_severity(Tag tag);
Stage tag_stage(Tag tag);

struct Diagnostic {
    Tag tag;
    std::string message;             // what and why; the remedy too where there is one
    SourceRef at;                    // may be empty
    std::vector<Diagnostic> causes;  // further places, in order: "type was first inferred here", alias, tapset
    Severity severity;               // the tag's, unless -W made it an error
    bool leads_on = false;           // says only where the problems are needed, which are its causes
};

// Collects what passes report. Not thread-safe; one per session.
class Diagnostics {
  public:
    Diagnostic &report(Tag tag, const SourceRef &at, std::string message);
    Diagnostic &report(Tag tag, std::string message) { return report(tag, SourceRef{}, std::move(message)); }

    void set_warnings_as_errors(bool on) { warnings_as_errors_ = on; }
    void set_suppress_warnings(bool on) { suppress_warnings_ = on; }

    size_t error_count() const;
    size_t error_count(Stage stage) const;
    bool has_errors() const { return error_count() != 0; }
    // Everything reported so far, in order.
    const std::vector<std::unique_ptr<Diagnostic>> &all() const { return all_; }
    // Undo point for speculative work (optional probes, @defined): reports after a mark can be dropped.
    size_t mark() const { return all_.size(); }
    void drop_since(size_t mark) { all_.resize(mark); }
    // Takes the reports after a mark away; add() reports them again, behind all others.
    std::vector<std::unique_ptr<Diagnostic>> take_since(size_t mark);
    void add(std::vector<std::unique_ptr<Diagnostic>> taken);

  private:
    std::vector<std::unique_ptr<Diagnostic>> all_;
    std::unique_ptr<Diagnostic> dropped_;  // a suppressed warning, so that its reporter may still add causes
    bool warnings_as_errors_ = false;
    bool suppress_warnings_ = false;
};

// Renders in the form users know: label, location, source line, caret, macro uses, causes, a blank line. A file's name
// is written with its first mention only. A parse error without a place is its message alone. `verbose` shows messages
// that repeat another one at the same place, and the later ones of a long series of one kind, instead of counting them.
std::string render(const Diagnostic &diagnostic);
std::string render_all(const Diagnostics &diagnostics, bool verbose);

}  // namespace tapir
