// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/comment_check.h"

#include <algorithm>
#include <set>

namespace tapir::docs {

void CommentCheck::problem(const std::string &path, uint32_t line, std::string text) {
    problems_.push_back({path, line, std::move(text)});
}

const Comment *CommentCheck::comment_for(Text &text, Kind kind, const std::string &name, const std::string &shown,
                                         size_t start, uint32_t line, bool needed, const std::string &form) {
    const std::vector<size_t> here = text.before(start);
    for (size_t i : here)
        if (text.comments[i].name == name) {
            text.used[i] = true;
            return &text.comments[i];
        }
    if (!needed) return nullptr;
    const char *word = kind_word(kind);
    for (size_t i : here) {
        if (text.used[i]) continue;
        text.used[i] = true;
        problem(text.path, text.comments[i].line,
                std::string("the doc comment of ") + word + " " + shown + " must begin with \"" + name + ": \"" +
                    (text.comments[i].name.empty() ? "" : ", not with \"" + text.comments[i].name + ": \""));
        return nullptr;
    }
    problem(text.path, line,
            std::string(word) + " " + shown + " has no doc comment; write directly before it:\n" + form);
    return nullptr;
}

std::string form_of(const std::string &name, const std::vector<std::string> &items, bool macro_file) {
    const std::string mark = macro_file ? "    # " : "     * ";
    std::string form = (macro_file ? "" : "    /**\n") + mark + name + ": what it gives, or when it fires.\n";
    for (const std::string &item : items)
        form += mark + "@" + item + ": what it is, with its unit.\n";
    return form + (macro_file ? "" : "     */");
}

void CommentCheck::check_items(const Text &text, const Comment &comment, const std::string &what, const char *item,
                               const std::vector<std::string> &names) {
    std::set<std::string> seen;
    for (const Item &documented : comment.items) {
        if (!seen.insert(documented.name).second)
            problem(text.path, comment.line, what + " describes @" + documented.name + " twice");
        if (std::find(names.begin(), names.end(), documented.name) == names.end())
            problem(text.path, comment.line,
                    what + " has no " + item + " " + documented.name + ", which its doc comment describes");
    }
    std::vector<std::string> missing;
    for (const std::string &name : names)
        if (!seen.count(name)) missing.push_back(name);
    not_described(text, comment, std::string(item) + " ", " of " + what, missing);
    check_summary(text, comment, what);
}

void CommentCheck::not_described(const Text &text, const Comment &comment, const std::string &item,
                                 const std::string &of_what, const std::vector<std::string> &missing,
                                 const std::string &also) {
    if (missing.empty()) return;
    std::string list, lines;
    for (const std::string &name : missing) {
        list += (list.empty() ? "" : ", ") + name;
        lines += "\n     * @" + name + ": what it is, with its unit.";
    }
    problem(text.path, comment.line,
            item + list + of_what + (missing.size() == 1 ? " is" : " are") + " not described; add to the doc comment" +
                also + ":" + lines);
}

void CommentCheck::check_summary(const Text &text, const Comment &comment, const std::string &what) {
    if (comment.summary.empty()) problem(text.path, comment.line, "the doc comment of " + what + " says nothing");
    for (const Item &item : comment.items)
        if (item.text.empty())
            problem(text.path, comment.line, "the doc comment of " + what + " says nothing about @" + item.name);
}

void CommentCheck::leftovers(const Text &text) {
    for (size_t i = 0; i < text.comments.size(); ++i) {
        const Comment &comment = text.comments[i];
        if (text.used[i]) continue;
        problem(text.path, comment.line,
                "this doc comment stands before nothing it could describe" +
                    (comment.name.empty() ? std::string() : ": there is no '" + comment.name + "' here"));
    }
}

}  // namespace tapir::docs
