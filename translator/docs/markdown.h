// SPDX-License-Identifier: GPL-2.0-or-later
// The part of Markdown that the documentation uses: headings, paragraphs, lists, tables, indented and fenced code;
// inline `code`, **strong**, [links](to).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::docs {

struct Span {
    enum class Style : unsigned char { Plain, Code, Strong, Link };
    Style style = Style::Plain;
    std::string text;
    std::string target;  // Link
};
using Spans = std::vector<Span>;

struct Block {
    enum class Kind : unsigned char { Heading, Paragraph, List, Table, Code };
    Kind kind = Kind::Paragraph;
    int level = 0;                         // Heading
    bool numbered = false;                 // List
    Spans spans;                           // Heading, Paragraph
    std::string code;                      // Code
    std::vector<std::vector<Spans>> rows;  // List: one cell each; Table: the head first
};

std::vector<Block> read_markdown(std::string_view text);
Spans read_spans(std::string_view text);

// The text of the spans, without their marks.
std::string plain(const Spans &spans);

}  // namespace tapir::docs
