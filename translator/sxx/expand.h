// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts of stap++ (.sxx): their text is rewritten, line by line, into a script of the plain language. Strings and
// comments are rewritten, too. docs/stapxx.md has the rewrites, in their order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "sxx/library_name.h"

namespace tapir::sxx {

struct Settings {
    // Values of $^NAME: exec_path, target, pid_ok, and arg_NAME for arguments.
    std::map<std::string, std::string> values;
    // For $^libNAME_path.
    std::vector<Mapped> mapped;
    // Returns the file of a library "a.b" of @use; null if there is none.
    std::function<std::shared_ptr<const SourceFile>(const std::string &name)> find;
    // Advice on one that find() does not find; may be empty.
    std::function<std::string(const std::string &name)> advise;
    // The script is only asked for its arguments: variables without a value are no errors.
    bool only_arguments = false;
};

// A file that was named in @use, by its dotted name.
struct UsedLibrary {
    std::string name;
    std::shared_ptr<const SourceFile> text;
};

class Expander {
  public:
    Expander(Settings settings, Diagnostics &diagnostics);

    // Returns the rewritten text, whose places are those of the file. A default holds from its place on, in all files.
    // Errors are reported, with their places in the file.
    std::unique_ptr<SourceFile> expand(const std::shared_ptr<const SourceFile> &file);

    // Those that the expanded files use, directly or not, in the order in which they were done.
    const std::vector<UsedLibrary> &libraries() const { return libraries_; }
    // The names of the arguments that the files ask for, without "arg_", with their defaults.
    const std::map<std::string, std::optional<std::string>> &arguments() const { return arguments_; }
    // All files that were read, which messages may point into.
    const std::vector<std::shared_ptr<const SourceFile>> &files() const { return files_; }

  private:
    class FileExpansion;

    // A use of $^NAME.
    struct Use {
        std::string name;
        std::optional<std::string> trait, value;  // of ":default(VALUE)"
        SourceRef at;
    };
    std::string value_of(const Use &use);
    std::string without_value(const Use &use);
    std::string library_path(const std::string &library, const Use &use);
    void use_library(const std::string &name, const SourceRef &at);
    void note_argument(const Use &use);
    bool has_value(const std::string &name) const { return settings_.values.contains(name); }

    Settings settings_;
    Diagnostics &diagnostics_;
    std::map<std::string, std::string> library_paths_;
    std::map<std::string, std::optional<std::string>> arguments_;
    std::vector<UsedLibrary> libraries_;
    std::set<std::string> begun_;  // names of libraries, found or not
    std::vector<std::shared_ptr<const SourceFile>> files_;
};

// The lines of --args, sorted by names.
std::string argument_list(const std::map<std::string, std::optional<std::string>> &arguments);

}  // namespace tapir::sxx
