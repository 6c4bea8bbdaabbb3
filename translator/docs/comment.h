// SPDX-License-Identifier: GPL-2.0-or-later
// Doc comments: what stands directly before a declaration in a tapset, and what it says.
//
//     /**
//      * name: one sentence.
//      * @item: what the parameter or variable is; goes on
//      *   in the next line.
//      *
//      * More paragraphs. Indented ones are kept as they are.
//      */
//
// In macro files (.stpm) also "#" at the beginning of each line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::docs {

struct Item {
    std::string name;  // without "@"; of a variable of the probed program with its "$"
    std::string text;
};

struct Paragraph {
    std::string text;
    bool literal = false;  // lines are kept
};

struct Comment {
    uint32_t line = 0;  // where it begins, from 1
    size_t next = 0;    // offset of what it stands before: the next token after it and other comments
    std::string name;   // what it says it is about; "" when it says nothing
    std::string summary;
    std::vector<Item> items;
    std::vector<Paragraph> details;

    const Item *find(std::string_view item) const;
};

// All doc comments of a text, in order. `macro_file`: lines that begin with "#" count too.
std::vector<Comment> read_comments(std::string_view text, bool macro_file);

// The text of the comment that follows the licence line at the head of a file: what the file is about.
std::string read_head(std::string_view text);

}  // namespace tapir::docs
