// SPDX-License-Identifier: GPL-2.0-or-later
// Aliases that no file has: there are many of them alike, so that they are written when a point asks for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::library {

class AliasSource {
  public:
    struct Name {
        std::string dotted;
        bool by_wildcard;              // points with wildcards mean it; else it is one more name of something
        std::string_view prefix = {};  // unless "": those mean it, too, in which a component begins with this
    };

    virtual ~AliasSource() = default;
    // The first components of all names. The source is not asked for others.
    virtual std::span<const std::string_view> roots() const = 0;
    // All names with that first component.
    virtual const std::vector<Name> &names(std::string_view root) = 0;
    // The text of a file with the declarations of one of them.
    virtual std::string text(const std::string &dotted) = 0;
};

}  // namespace tapir::library
