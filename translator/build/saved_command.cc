// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/saved_command.h"

namespace tapir::build {
namespace {

// Kbuild writes commands so that make reads them back: "$" doubled, "#" through a variable or a backslash.
std::string undo_make_escapes(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); i++) {
        if (text.substr(i, 2) == "$$") {
            plain += '$';
            i++;
        } else if (text.substr(i, 8) == "$(pound)") {
            plain += '#';
            i += 7;
        } else if (text.substr(i, 2) == "\\#") {
            plain += '#';
            i++;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

// Splits one line into words; the reader of parse_shell.
class ShellReader {
  public:
    explicit ShellReader(std::string_view line) : line_(line) {}

    std::optional<std::vector<Words>> read() {
        for (at_ = 0; at_ < line_.size(); at_++)
            if (!take(line_[at_])) return std::nullopt;
        end_command();
        return std::move(commands_);
    }

  private:
    bool take(char c) {
        switch (c) {
            case ' ':
            case '\t':
                end_word();
                return true;
            case ';':
                end_command();
                return true;
            case '&':
                if (line_.substr(at_, 2) != "&&") return false;
                at_++;
                end_command();
                return true;
            case '\'':
                return take_quoted('\'');
            case '"':
                return take_quoted('"');
            case '\\':
                if (++at_ >= line_.size()) return false;
                add(line_[at_]);
                return true;
            case '|':
            case '<':
            case '>':
            case '(':
            case ')':
            case '`':
            case '$':
            case '*':
            case '?':
            case '[':
                return false;
            case '{':
            case '}':
            case '!':
            case '#':
                if (!in_word_) return false;
                add(c);
                return true;
            default:
                add(c);
                return true;
        }
    }

    bool take_quoted(char quote) {
        in_word_ = true;
        for (at_++; at_ < line_.size(); at_++) {
            char c = line_[at_];
            if (c == quote) return true;
            if (quote == '"') {
                if (c == '$' || c == '`') return false;
                if (c == '\\' && at_ + 1 < line_.size() &&
                    std::string_view("\\\"$`").find(line_[at_ + 1]) != std::string_view::npos)
                    c = line_[++at_];
            }
            word_ += c;
        }
        return false;
    }

    void add(char c) {
        in_word_ = true;
        word_ += c;
    }

    void end_word() {
        if (in_word_) words_.push_back(std::move(word_));
        word_.clear();
        in_word_ = false;
    }

    void end_command() {
        end_word();
        if (!words_.empty() && words_ != Words{"true"} && words_ != Words{":"}) commands_.push_back(std::move(words_));
        words_.clear();
    }

    std::string_view line_;
    size_t at_ = 0;
    std::string word_;
    bool in_word_ = false;
    Words words_;
    std::vector<Words> commands_;
};

}  // namespace

std::optional<std::vector<Words>> parse_shell(std::string_view line) {
    return ShellReader(line).read();
}

std::optional<SavedCommand> parse_saved_command(std::string_view text) {
    while (!text.empty()) {
        size_t end = text.find('\n');
        std::string line(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        size_t name = line.starts_with("cmd_") ? 4 : line.starts_with("savedcmd_") ? 9 : 0;
        if (!name) continue;
        size_t assign = line.find(":=");
        if (assign == std::string::npos) return std::nullopt;
        SavedCommand saved;
        saved.target = line.substr(name, line.find_last_not_of(' ', assign - 1) + 1 - name);
        auto commands = parse_shell(undo_make_escapes(std::string_view(line).substr(assign + 2)));
        if (!commands || commands->empty()) return std::nullopt;
        saved.commands = std::move(*commands);
        return saved;
    }
    return std::nullopt;
}

}  // namespace tapir::build
