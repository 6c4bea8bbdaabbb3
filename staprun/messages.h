// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of staprun on stderr: errors and warnings of the module and its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "common/screen.h"

namespace tapir::staprun {

class Messages {
  public:
    using Writer = std::function<void(std::string_view)>;
    struct Style {
        unsigned verbose = 0;      // > 0: warnings are not de-duplicated
        bool no_warnings = false;  // -w
        Screen screen;
    };

    explicit Messages(Writer writer) : writer_(std::move(writer)) {}
    void set_style(const Style &style) { style_ = style; }

    // Is called for each error ("error") and warning ("warning"), before it is told and also if it is one too many.
    using Listener = std::function<void(const char *type, std::string_view text)>;
    void set_listener(Listener listener) { listener_ = std::move(listener); }

    // "ERROR: text"; the exit status will be 1. For people, here and below: "error: text" and "notice: text", wrapped.
    void error(std::string_view text);
    // "WARNING: text", each text once, up to 1024 different texts.
    void warning(std::string_view text);
    // "help: text" about what was just said, each text once; nothing for "".
    void help(std::string_view text);
    // A line as it is.
    void say(std::string_view text);
    // As say(), from verbosity `level` on.
    void chat(unsigned level, std::string_view text);

    bool for_people() const { return style_.screen.for_people; }
    bool seen_error() const { return seen_error_; }

  private:
    void tell(Voice voice, std::string_view text);

    Writer writer_;
    Listener listener_;
    Style style_;
    std::unordered_set<std::string> warned_, helped_;
    bool table_full_said_ = false;
    bool seen_error_ = false;
};

}  // namespace tapir::staprun
