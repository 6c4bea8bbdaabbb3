// SPDX-License-Identifier: GPL-2.0-or-later
// Texts of .sxx files that are expanded with given values.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "sxx/expand.h"

namespace tapir::sxx {

// A script, its libraries and its settings; the messages of its expansion.
struct Expansion {
    Settings settings;
    std::map<std::string, std::string> libraries;  // texts by dotted names
    Diagnostics diagnostics = {};
    std::unique_ptr<Expander> expander = {};
    std::unique_ptr<SourceFile> made = {};

    Expansion() {
        settings.values = {
            {"exec_path", "/opt/server"}, {"pid_ok", "pid() == target()"}, {"target", "42"}, {"arg_n", "7"}};
        settings.mapped = {{"/lib/liblua-5.1.so.2", "/lib/liblua-5.1.so.2"}, {"/lib/libc.so.6", "/lib/libc.so.6"}};
    }

    // Returns what becomes of the file "t.sxx".
    std::string expand(const std::string &text) {
        settings.find = [this](const std::string &name) -> std::shared_ptr<const SourceFile> {
            const auto found = libraries.find(name);
            if (found == libraries.end()) return nullptr;
            return std::make_shared<SourceFile>(name + ".sxx", found->second, Origin::Tapset);
        };
        expander = std::make_unique<Expander>(settings, diagnostics);
        made = expander->expand(std::make_shared<SourceFile>("t.sxx", text, Origin::UserScript));
        return std::string(made->text());
    }

    // Returns what is said about it.
    std::string messages(const std::string &text) {
        expand(text);
        return render_all(diagnostics, true);
    }
};

}  // namespace tapir::sxx
