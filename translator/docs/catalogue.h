// SPDX-License-Identifier: GPL-2.0-or-later
// The entries of a tapset library, taken from its declarations and doc comments, and the mistakes in the comments.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "docs/comment.h"
#include "library/tapset_index.h"
#include "target/kernel.h"

namespace tapir::docs {

enum class Kind : uint8_t { Function, Probe, Macro, Global };
const char *kind_word(Kind kind);  // "function", "probe", "macro", "global"

struct Entry {
    Kind kind = Kind::Function;
    std::string name;               // macros without "@"
    std::string signature;          // "strlen:long (s:string)", "vfs.read", "@define(a, b)"
    std::string stands_for;         // aliases: the points
    std::vector<std::string> tags;  // functions: "unprivileged", "guru" ...
    std::string summary;
    struct Part {
        std::string name, type, text;  // type "" when it is not known
    };
    std::vector<Part> parts;  // parameters, or variables of an alias
    std::vector<Paragraph> details;
    // For an entry of many similar names: each name, and the variables that it has besides `parts`.
    struct Member {
        std::string name;
        std::vector<Part> parts;
    };
    std::vector<Member> members;
    std::string file;
    uint32_t line = 0;
};

// A tapset file's name without its suffix; .stp and .stpm of one name are one family.
struct Family {
    std::string name;
    std::string about;
    std::vector<Entry> entries;  // by kind, then by name
};

struct Problem {
    std::string file;
    uint32_t line = 0;
    std::string text;
};

struct Catalogue {
    std::vector<Family> families;  // by name
    std::vector<Problem> problems;
};

// Reads all files that the index options name. Texts that do not parse are reported to `diagnostics`. The system calls
// are those of `kernel`; without one, all that the library's tables describe.
Catalogue read_library(const library::IndexOptions &options, const target::Kernel *kernel, Diagnostics &diagnostics);

// The first sentence.
std::string first_sentence(const std::string &text);
// With a capital, if it begins with a plain word.
std::string capitalised(std::string text);

}  // namespace tapir::docs
