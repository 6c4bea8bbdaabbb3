// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/markdown.h"

#include <algorithm>

#include "common/quoting.h"

namespace tapir::docs {

namespace {

constexpr size_t npos = std::string_view::npos;

// "- " or "12. " at the beginning: how long it is, or 0.
size_t list_mark(std::string_view line, bool &numbered) {
    if (line.starts_with("- ") || line.starts_with("* ")) return numbered = false, 2;
    size_t digits = line.find_first_not_of("0123456789");
    if (digits == 0 || digits == npos || line.substr(digits, 2) != ". ") return 0;
    numbered = true;
    return digits + 2;
}

std::vector<Spans> table_row(std::string_view line) {
    line = trim(line);
    if (line.starts_with('|')) line.remove_prefix(1);
    if (line.ends_with('|')) line.remove_suffix(1);
    std::vector<Spans> cells;
    std::string cell;
    bool code = false;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '`') code = !code;
        if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
            cell += '|';
            ++i;
        } else if (line[i] == '|' && !code) {
            cells.push_back(read_spans(trim(cell)));
            cell.clear();
        } else {
            cell += line[i];
        }
    }
    cells.push_back(read_spans(trim(cell)));
    return cells;
}

bool is_table_rule(std::string_view line) {
    return line.starts_with('|') && line.find('-') != npos && line.find_first_not_of("|-: ") == npos;
}

class MarkdownReader {
  public:
    explicit MarkdownReader(std::string_view text) {
        for (size_t start = 0; start < text.size();) {
            size_t end = std::min(text.find('\n', start), text.size());
            lines_.push_back(text.substr(start, end - start));
            start = end + 1;
        }
    }

    std::vector<Block> run() {
        while (at_ < lines_.size()) {
            std::string_view line = lines_[at_];
            bool numbered = false;
            if (trim(line).empty()) {
                ++at_;
            } else if (line.starts_with('#')) {
                heading(line);
            } else if (line.starts_with("```")) {
                fenced();
            } else if (line.starts_with("    ") || line.starts_with('\t')) {
                indented();
            } else if (line.starts_with('|')) {
                table();
            } else if (list_mark(line, numbered)) {
                list();
            } else {
                paragraph();
            }
        }
        return std::move(blocks_);
    }

  private:
    Block &add(Block::Kind kind) {
        blocks_.emplace_back();
        blocks_.back().kind = kind;
        return blocks_.back();
    }

    void heading(std::string_view line) {
        size_t level = line.find_first_not_of('#');
        Block &block = add(Block::Kind::Heading);
        block.level = static_cast<int>(std::min(level, line.size()));
        block.spans = read_spans(trim(line.substr(std::min(level, line.size()))));
        ++at_;
    }

    void fenced() {
        Block &block = add(Block::Kind::Code);
        for (++at_; at_ < lines_.size() && !lines_[at_].starts_with("```"); ++at_)
            block.code.append(lines_[at_]).append("\n");
        ++at_;
    }

    void indented() {
        Block &block = add(Block::Kind::Code);
        for (; at_ < lines_.size(); ++at_) {
            std::string_view line = lines_[at_];
            const bool inside = line.starts_with("    ") || line.starts_with('\t') || trim(line).empty();
            if (!inside) break;
            if (line.starts_with('\t')) line.remove_prefix(1);
            if (line.starts_with("    ")) line.remove_prefix(4);
            block.code.append(line).append("\n");
        }
        while (block.code.ends_with("\n\n"))
            block.code.pop_back();
    }

    void table() {
        Block &block = add(Block::Kind::Table);
        for (; at_ < lines_.size() && lines_[at_].starts_with('|'); ++at_)
            if (!is_table_rule(lines_[at_])) block.rows.push_back(table_row(lines_[at_]));
    }

    void list() {
        Block &block = add(Block::Kind::List);
        std::string item;
        const auto flush = [&] {
            if (!item.empty()) block.rows.push_back({read_spans(item)});
            item.clear();
        };
        for (; at_ < lines_.size(); ++at_) {
            std::string_view line = lines_[at_];
            bool numbered = false;
            if (size_t mark = list_mark(line, numbered)) {
                flush();
                block.numbered = numbered;
                item = trim(line.substr(mark));
            } else if (!trim(line).empty() && line.starts_with(' ')) {
                item.append(" ").append(trim(line));
            } else {
                break;
            }
        }
        flush();
    }

    void paragraph() {
        std::string text;
        for (; at_ < lines_.size(); ++at_) {
            std::string_view line = lines_[at_];
            bool numbered = false;
            if (trim(line).empty() || line.starts_with('#') || line.starts_with("```") || line.starts_with('|')) break;
            if (!text.empty() && list_mark(line, numbered)) break;
            text.append(text.empty() ? "" : " ").append(trim(line));
        }
        add(Block::Kind::Paragraph).spans = read_spans(text);
    }

    std::vector<std::string_view> lines_;
    size_t at_ = 0;
    std::vector<Block> blocks_;
};

}  // namespace

Spans read_spans(std::string_view text) {
    Spans spans;
    std::string plain;
    const auto flush = [&] {
        if (!plain.empty()) spans.push_back({Span::Style::Plain, plain, ""});
        plain.clear();
    };
    for (size_t i = 0; i < text.size();) {
        const auto enclosed = [&](std::string_view mark, Span::Style style) {
            if (text.substr(i, mark.size()) != mark) return false;
            size_t end = text.find(mark, i + mark.size());
            if (end == npos) return false;
            flush();
            spans.push_back({style, std::string(text.substr(i + mark.size(), end - i - mark.size())), ""});
            i = end + mark.size();
            return true;
        };
        if (enclosed("`", Span::Style::Code) || enclosed("**", Span::Style::Strong)) continue;
        if (text[i] == '[') {
            size_t close = text.find("](", i), end = close == npos ? npos : text.find(')', close);
            if (end != npos && text.substr(i, close - i).find('\n') == npos &&
                text.substr(i + 1, close - i - 1).find('[') == npos) {
                flush();
                std::string label;
                for (const Span &part : read_spans(text.substr(i + 1, close - i - 1)))
                    label += part.text;
                spans.push_back({Span::Style::Link, label, std::string(text.substr(close + 2, end - close - 2))});
                i = end + 1;
                continue;
            }
        }
        if (text[i] == '\\' && i + 1 < text.size() && std::ispunct(static_cast<unsigned char>(text[i + 1]))) ++i;
        plain += text[i++];
    }
    flush();
    return spans;
}

std::string plain(const Spans &spans) {
    std::string text;
    for (const Span &span : spans)
        text += span.text;
    return text;
}

std::vector<Block> read_markdown(std::string_view text) {
    return MarkdownReader(text).run();
}

}  // namespace tapir::docs
