// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/rc_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/files.h"
#include "common/regular_file.h"

namespace tapir::driver {
namespace {

std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

// Without a comment, whose # is not quoted and begins a word.
std::string without_comment(const std::string &line) {
    char quote = 0;
    for (size_t i = 0; i < line.size(); i++) {
        const char c = line[i];
        if (c == '\\' && quote != '\'') {
            i++;
        } else if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
            return line.substr(0, i);
        }
    }
    return line;
}

const char *why_not_split(int error) {
    switch (error) {
        case WRDE_BADCHAR:
            return "one of the characters | & ; < > ( ) { } is not quoted";
        case WRDE_CMDSUB:
            return "a command's output cannot be used here; only $NAME is replaced";
        case WRDE_SYNTAX:
            return "a quote or brace has no end";
        default:
            return "not enough memory";
    }
}

}  // namespace

SourceRef RcFile::place(const Line &line, const std::string &word) const {
    const std::string_view text = source->line(line.number);
    size_t at = word.empty() ? std::string_view::npos : text.find(word);
    std::string_view shown = text.substr(std::min(at, text.size()), word.size());
    if (at == std::string_view::npos) at = std::min(text.find_first_not_of(" \t"), text.size());
    SourceRef ref;
    ref.file = source.get();
    ref.line = line.number;
    ref.column = static_cast<uint32_t>(at) + 1;
    ref.kind = TokenKind::String;
    ref.text = shown;
    return ref;
}

std::string rc_path() {
    if (std::string dir = environment("SYSTEMTAP_DIR"); !dir.empty()) return dir + "/rc";
    if (std::string home = environment("HOME"); !home.empty()) return home + "/.systemtap/rc";
    return "";
}

RcFile read_rc_file(const std::string &path, Diagnostics &diagnostics) {
    RcFile rc;
    struct stat facts = {};
    if (path.empty() || stat(path.c_str(), &facts) != 0) return rc;
    if (facts.st_uid != 0 && facts.st_uid != geteuid()) {
        diagnostics.report(Tag::UnusedArgument, "The options in " + path + " are left out: the file is another user's");
        return rc;
    }
    std::optional<std::string> text(std::in_place);
    if (const int error = read_file(path.c_str(), kMaxText, *text)) {
        diagnostics.report(Tag::UsageError, "Cannot read options from " + path + ": " + file_error(error) + ".");
        return rc;
    }
    rc.source = std::make_shared<const SourceFile>(path, *text, Origin::CommandLine);
    size_t begin = 0;
    for (uint32_t number = 1; begin < text->size(); number++) {
        const size_t end = std::min(text->find('\n', begin), text->size());
        RcFile::Line line{number, {}};
        wordexp_t words = {};
        const int error =
            wordexp(without_comment(text->substr(begin, end - begin)).c_str(), &words, WRDE_NOCMD | WRDE_UNDEF);
        begin = end + 1;
        if (error == WRDE_BADVAL) {
            diagnostics.report(Tag::UsageError, rc.place(line, "$"), "a variable that is not set");
        } else if (error) {
            diagnostics.report(Tag::UsageError, rc.place(line, ""), why_not_split(error));
        }
        if (error) continue;
        line.words.assign(words.we_wordv, words.we_wordv + words.we_wordc);
        wordfree(&words);
        if (!line.words.empty()) rc.lines.push_back(std::move(line));
    }
    return rc;
}

}  // namespace tapir::driver
