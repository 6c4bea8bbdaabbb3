// SPDX-License-Identifier: GPL-2.0-or-later
// The names that scripts can use: of the language, of the tapset library, and of a script itself.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "docs/catalogue.h"
#include "tool/head.h"

namespace tapir::complete {

enum class Kind : uint8_t { Keyword, Operator, Function, Global, Local, Macro, Point, Target, Member, Option, Fact };

struct Name {
    Kind kind = Kind::Keyword;
    std::string name;       // "strlen", "@count", "vfs.read"
    std::string signature;  // "strlen:long (s:string)"; "" where the name says all
    std::string text;       // what it is, in Markdown; "" if nothing is known
    std::string file;       // where it is declared; "" of the language itself
    uint32_t line = 0;      // from 1
};

// Names of the language and of the library. It is made once.
class Vocabulary {
  public:
    explicit Vocabulary(const docs::Catalogue &catalogue);

    // All names of a kind that are not internal to the library.
    const std::vector<Name> &names(Kind kind) const;
    // Those with this name; macros and operators have their "@". Results live as long as this.
    std::vector<const Name *> find(std::string_view name) const;
    // Forms of probe points that the translator knows by itself: "kernel.function(string).call".
    const std::vector<std::string> &forms() const { return forms_; }
    // The variables that an alias gives to handlers.
    std::vector<Name> variables_of(std::string_view alias) const;

  private:
    void add(Name name);
    void add_entry(const docs::Entry &entry);

    std::map<Kind, std::vector<Name>> names_;
    std::multimap<std::string, std::pair<Kind, size_t>, std::less<>> by_name_;
    std::vector<std::string> forms_;
    std::multimap<std::string, Name, std::less<>> variables_;  // by alias
};

// Names that a script declares at top level, found without parsing it: functions, globals, aliases, macros and options.
std::vector<Name> names_of_script(const SourceFile &script);

// Facts that %( %) can ask for.
const std::vector<std::string> &condition_facts();

}  // namespace tapir::complete
