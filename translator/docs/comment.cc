// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/comment.h"

#include <algorithm>
#include <cctype>

#include "common/quoting.h"

namespace tapir::docs {

namespace {

constexpr size_t kNoPlace = std::string_view::npos;

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    for (size_t start = 0; start <= text.size();) {
        size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

// The line without what draws the comment: blanks and "mark", and one blank after it.
std::string_view undecorated(std::string_view line, char mark) {
    std::string_view rest = line;
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t'))
        rest.remove_prefix(1);
    if (!rest.empty() && rest.front() == mark) {
        rest.remove_prefix(1);
        if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    } else if (mark == '*') {
        // the line of the opening "/**"
        if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    }
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.back())))
        rest.remove_suffix(1);
    return rest;
}

void append_words(std::string &text, std::string_view more) {
    more = trim(more);
    if (!text.empty() && !more.empty()) text += ' ';
    text += more;
}

// "@a, @b: " at the beginning of a line: the names, and what follows the colon. Empty: it is no such line.
std::vector<std::string> item_names(std::string_view line, std::string_view &rest) {
    std::vector<std::string> names;
    if (line.empty() || line.front() != '@') return {};
    size_t colon = line.find(':');
    if (colon == kNoPlace) return {};
    for (std::string_view list = line.substr(0, colon); !list.empty();) {
        size_t comma = std::min(list.find(','), list.size());
        std::string_view name = trim(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
        if (!name.empty() && name.front() == '@') name.remove_prefix(1);
        const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isalnum(c) || c == '_' || c == '$';
        });
        if (!good) return {};
        names.emplace_back(name);
    }
    rest = line.substr(colon + 1);
    return names;
}

// Takes away the blanks that all lines begin with.
void outdent(std::string &text) {
    size_t least = kNoPlace;
    for (std::string_view line : split_lines(text))
        least = std::min(least, line.find_first_not_of(" \t"));
    std::string out;
    for (std::string_view line : split_lines(text))
        out.append(out.empty() ? "" : "\n").append(line.substr(std::min(least, line.size())));
    text = std::move(out);
}

// Takes the lines of a comment apart.
class Body {
  public:
    explicit Body(Comment &comment) : comment_(comment) {}

    void line(std::string_view text) {
        std::string_view rest;
        if (trim(text).empty()) return blank();
        if (std::vector<std::string> names = item_names(text, rest); !names.empty()) {
            blank();
            for (std::string &name : names)
                comment_.items.push_back({std::move(name), std::string(trim(rest))});
            open_items_ = names.size();
            return;
        }
        if (!begun_) return first(text);
        if (open_items_) {
            for (size_t i = comment_.items.size() - open_items_; i < comment_.items.size(); ++i)
                append_words(comment_.items[i].text, text);
        } else if (in_summary_) {
            append_words(comment_.summary, text);
        } else {
            paragraph_line(text);
        }
    }

  private:
    void blank() {
        if (begun_) in_summary_ = false;
        open_items_ = 0;
        in_paragraph_ = false;
    }

    void first(std::string_view text) {
        begun_ = in_summary_ = true;
        size_t colon = text.find(": ");
        if (colon == kNoPlace && text.back() == ':') colon = text.size() - 1;
        std::string_view name = trim(text.substr(0, std::min(colon, text.size())));
        if (colon != kNoPlace && name.find(' ') == kNoPlace) {
            comment_.name = name;
            text.remove_prefix(colon + 1);
        }
        comment_.summary = trim(text);
    }

    void paragraph_line(std::string_view text) {
        const bool indented = text.starts_with("  ") || text.starts_with('\t');
        if (!in_paragraph_) {
            comment_.details.push_back({"", indented});
            in_paragraph_ = true;
        }
        Paragraph &paragraph = comment_.details.back();
        if (paragraph.literal)
            paragraph.text.append(paragraph.text.empty() ? "" : "\n").append(text);
        else
            append_words(paragraph.text, text);
    }

    Comment &comment_;
    bool begun_ = false, in_summary_ = false, in_paragraph_ = false;
    size_t open_items_ = 0;  // how many of the last items this text is about
};

// Goes through a text by tokens, as far as comments need it.
class CommentReader {
  public:
    CommentReader(std::string_view text, bool macro_file) : text_(text), macro_file_(macro_file) {}

    std::vector<Comment> run() {
        while (pos_ < text_.size()) {
            std::string_view rest = text_.substr(pos_);
            if (std::isspace(static_cast<unsigned char>(rest.front()))) {
                ++pos_;
            } else if (rest.starts_with("/*")) {
                block_comment();
            } else if (rest.starts_with("//") || rest.front() == '#') {
                line_comment();
            } else {
                settle();
                token(rest);
            }
        }
        settle();
        return std::move(comments_);
    }

  private:
    void skip_past(std::string_view end, size_t from) {
        size_t at = text_.find(end, from);
        pos_ = at == kNoPlace ? text_.size() : at + end.size();
    }

    void token(std::string_view rest) {
        if (rest.starts_with("%{")) return skip_past("%}", pos_ + 2);
        if (rest.front() != '"') {
            ++pos_;
            return;
        }
        for (++pos_; pos_ < text_.size() && text_[pos_] != '"'; ++pos_)
            if (text_[pos_] == '\\') ++pos_;
        ++pos_;
    }

    void block_comment() {
        const size_t start = pos_;
        skip_past("*/", pos_ + 2);
        std::string_view all = text_.substr(start, pos_ - start);
        if (!all.starts_with("/**") || all.size() < 5) return;
        all.remove_prefix(3);
        all.remove_suffix(std::min<size_t>(all.size(), 2));
        add(all, start, '*');
    }

    // Lines that follow each other are one comment.
    void line_comment() {
        const size_t start = pos_;
        const char mark = text_[pos_];
        const std::string_view opening = mark == '#' ? "#" : "//";
        while (text_.substr(pos_).starts_with(opening))
            pos_ = std::min(text_.find('\n', pos_), text_.size() - 1) + 1;
        if (!macro_file_ || mark != '#' || !text_.substr(pos_).starts_with("@define")) return;
        add(text_.substr(start, pos_ - start - 1), start, '#');
        // Others are ordinary comments.
        const std::string form = "@define " + comments_.back().name;
        const char after = pos_ + form.size() < text_.size() ? text_[pos_ + form.size()] : ' ';
        if (!text_.substr(pos_).starts_with(form) || is_word(after) || comments_.back().name.empty())
            comments_.pop_back();
    }

    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

    void add(std::string_view inside, size_t start, char mark) {
        Comment comment;
        comment.line =
            1 + static_cast<uint32_t>(std::count(text_.begin(), text_.begin() + static_cast<long>(start), '\n'));
        Body body(comment);
        for (std::string_view line : split_lines(inside))
            body.line(undecorated(line, mark));
        for (Paragraph &paragraph : comment.details)
            if (paragraph.literal) outdent(paragraph.text);
        comments_.push_back(std::move(comment));
    }

    // Ends the comments so far: the declaration that follows them begins here.
    void settle() {
        for (; settled_ < comments_.size(); ++settled_)
            comments_[settled_].next = pos_;
    }

    std::string_view text_;
    bool macro_file_;
    size_t pos_ = 0;
    std::vector<Comment> comments_;
    size_t settled_ = 0;
};

}  // namespace

const Item *Comment::find(std::string_view item) const {
    for (const Item &known : items)
        if (known.name == item) return &known;
    return nullptr;
}

std::vector<Comment> read_comments(std::string_view text, bool macro_file) {
    return CommentReader(text, macro_file).run();
}

std::string read_head(std::string_view text) {
    std::string head;
    for (std::string_view line : split_lines(text)) {
        size_t marks = line.starts_with("//") ? 2 : line.starts_with('#') ? 1 : 0;
        if (marks == 0) break;
        std::string_view rest = trim(line.substr(marks));
        if (rest.starts_with("SPDX-License-Identifier:")) continue;
        append_words(head, rest);
    }
    return head;
}

}  // namespace tapir::docs
