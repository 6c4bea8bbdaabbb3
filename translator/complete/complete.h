// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Completion of scripts, for programs that edit them. It needs a Vocabulary, which is made once, and a TargetNames for
 * what only debug information knows:
 *
 *     complete::Completer completer(vocabulary, &target_names);
 *     complete::Completion found = completer.complete(text, cursor);
 *     // found.names may replace the bytes from found.begin to the cursor
 */
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "complete/script_place.h"
#include "complete/vocabulary.h"

namespace tapir::complete {

// The probed program or kernel, as far as scripts can name it. It may take long at the first question.
class TargetNames {
  public:
    virtual ~TargetNames() = default;
    // The variables that `points`, as in a script, give to their handlers: "$file" with its type as signature, and
    // those of aliases.
    virtual std::vector<Name> variables(const std::string &points) = 0;
    // Members of a structure that an expression like "$file->f_path" has or points to.
    virtual std::vector<Name> members(const std::string &points, const std::string &expression) = 0;
    // Texts that begin with `word` and fit as the argument of a component, `point` being "kernel.function(".
    virtual std::vector<Name> arguments(const std::string &point, const std::string &word) = 0;
};

struct Suggestion {
    Name name;
    std::string insert;  // the text for the script
};

struct Completion {
    size_t begin = 0;  // of the word that they replace
    std::vector<Suggestion> names;
    bool whole = true;  // false: there are more, which longer words find
};

class Completer {
  public:
    // `target` may be null.
    Completer(const Vocabulary &vocabulary, TargetNames *target) : vocabulary_(vocabulary), target_(target) {}

    // The names that may stand at `offset` and begin with the word there. Never fails.
    Completion complete(const SourceFile &script, size_t offset) const;
    // All declarations of the name at `offset`. `word` gets the name.
    std::vector<Name> meanings(const SourceFile &script, size_t offset, std::string &word) const;

  private:
    std::vector<Name> candidates(const Place &place, const SourceFile &script) const;
    std::vector<Name> code_names(const Place &place, const SourceFile &script) const;
    std::vector<Name> point_components(const Place &place, const SourceFile &script) const;

    const Vocabulary &vocabulary_;
    TargetNames *target_;
};

}  // namespace tapir::complete
