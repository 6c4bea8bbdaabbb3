// SPDX-License-Identifier: GPL-2.0-or-later
#include "examples.h"

#include <cctype>
#include <sstream>

namespace tapir::language {

namespace {

std::string slug(const std::string &heading) {
    std::string name;
    for (char c : heading)
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

// A reader of the page, one fence at a time.
class Reader {
  public:
    Page read(const std::string &markdown) {
        std::istringstream lines(markdown);
        for (std::string line; std::getline(lines, line);) {
            line_++;
            if (line.rfind("## ", 0) == 0) {
                heading(line.substr(3));
            } else if (line.rfind("```", 0) == 0) {
                fence(line.substr(3), lines);
            }
        }
        if (!tapsets_.empty()) mistake("a tapset without a script after it");
        return std::move(page_);
    }

  private:
    void mistake(const std::string &what) { page_.mistakes.push_back(std::to_string(line_) + ": " + what); }

    void heading(const std::string &text) {
        page_.headings.push_back(slug(text));
        number_ = 0;
        script_ = nullptr;
    }

    void fence(const std::string &info, std::istringstream &lines) {
        int start = line_;
        std::string text = body(lines);
        std::istringstream words(info);
        std::string kind, rest;
        words >> kind;
        std::getline(words >> std::ws, rest);
        if (kind == "stap") {
            script(start, rest, text);
        } else if (kind == "tapset" && !rest.empty()) {
            tapsets_.emplace_back(rest, text);
            script_ = nullptr;
        } else if ((kind == "output" || kind == "errors") && rest.empty()) {
            result(kind == "output" ? &Example::out : &Example::err, text);
        } else if ((kind != "text" && kind != "sh") || !rest.empty()) {
            mistake("unknown fence \"" + info + "\"");
        }
    }

    std::string body(std::istringstream &lines) {
        std::string text;
        for (std::string line; std::getline(lines, line); text += line + "\n") {
            line_++;
            if (line == "```") return text;
        }
        mistake("a fence without end");
        return text;
    }

    void script(int start, const std::string &options, const std::string &text) {
        if (page_.headings.empty()) heading("");
        Example example;
        example.heading = page_.headings.back();
        example.number = ++number_;
        example.line = start;
        example.options = options;
        if (options.rfind("check", 0) == 0 && (options.size() == 5 || options[5] == ' ')) {
            example.check_only = true;
            example.options = options.substr(5);
        }
        example.tapsets = std::move(tapsets_);
        tapsets_.clear();
        example.script = text;
        page_.examples.push_back(std::move(example));
        script_ = &page_.examples.back();
    }

    void result(std::string Example::*member, const std::string &text) {
        if (!script_) return mistake("output or errors without a script");
        if (!(script_->*member).empty()) return mistake("output or errors twice");
        if (text.empty()) return mistake("empty output or errors");
        script_->*member = text;
    }

    Page page_;
    int line_ = 0, number_ = 0;
    Example *script_ = nullptr;  // what output and errors belong to; the last of page_.examples or null
    std::vector<std::pair<std::string, std::string>> tapsets_;
};

}  // namespace

bool Example::fails() const {
    std::istringstream lines(err);
    for (std::string text; std::getline(lines, text);) {
        for (const char *start : {"parse error:", "semantic error:", "translation error:", "ERROR:"})
            if (text.rfind(start, 0) == 0) return true;
    }
    return false;
}

Page read_page(const std::string &markdown) {
    return Reader().read(markdown);
}

}  // namespace tapir::language
