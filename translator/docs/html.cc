// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "docs/markdown.h"
#include "docs/writers.h"

namespace tapir::docs {

namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --soft: #5c6470; --line: #d8dce2; --link: #0b57a4; --code: #f3f5f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e6ea; --paper: #16181b; --soft: #9aa3af; --line: #343a42; --link: #7db7f0; --code: #20242a; }
}
body { margin: 0 auto; max-width: 52rem; padding: 1rem 1.25rem 4rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); }
nav { border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
nav a { margin-right: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1.05rem; margin-top: 2rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .92em; background: var(--code); border-radius: 3px; }
code { padding: .08em .25em; overflow-wrap: anywhere; } pre { padding: .7rem .9rem; overflow-x: auto; } pre code { padding: 0; }
h3 code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } caption { text-align: left; color: var(--soft); }
dl { margin: .6rem 0; } dt { margin-top: .4rem; } dd { margin-left: 1.5rem; }
.soft { color: var(--soft); } .type { color: var(--soft); }
ul.names { columns: 16rem; padding-left: 1.1rem; }
)";

std::string escape(std::string_view text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string anchor(std::string_view name) {
    std::string out;
    for (char c : name)
        out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '-';
    return out;
}

std::string anchor_of(Kind kind, const std::string &name) {
    return std::string(kind_word(kind)) + "-" + anchor(name);
}

std::string anchor_of(const Entry &entry) {
    return anchor_of(entry.kind, entry.name);
}

class Writer {
  public:
    explicit Writer(const Reference &reference) : reference_(reference) {
        for (const Family &family : reference.catalogue.families)
            for (const Entry &entry : family.entries) {
                const std::string target = family.name + ".html#" + anchor_of(entry);
                if (entry.kind == Kind::Function) targets_.try_emplace(entry.name + "()", target);
                if (entry.kind == Kind::Probe) targets_.try_emplace(entry.name, target);
                for (const Entry::Member &member : entry.members)
                    targets_.try_emplace(member.name, family.name + ".html#" + anchor_of(entry.kind, member.name));
                if (entry.kind == Kind::Macro) targets_.try_emplace("@" + entry.name, target);
            }
    }

    Files run() {
        Files files = {{"index.html", index()}, {"names.html", names()}, {"probes.html", probes()}};
        for (const Family &family : reference_.catalogue.families)
            files.emplace_back(family.name + ".html", family_page(family));
        return files;
    }

  private:
    std::string page(const std::string &title, const std::string &body) const {
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
               escape(title) + " - Tapir " + escape(reference_.edition.version) + "</title>\n<style>" +
               std::string(kStyle) +
               "</style>\n</head>\n<body>\n<nav aria-label=\"Reference\"><a href=\"index.html\">Families</a>"
               "<a href=\"names.html\">All names</a><a href=\"probes.html\">Probe points</a></nav>\n<main>\n<h1>" +
               escape(title) + "</h1>\n" + body + "</main>\n</body>\n</html>\n";
    }

    // `code` that names something of the library is a link to it; so is a function's name with "()".
    std::string code(const std::string &text) const {
        const std::string shown = "<code>" + escape(text) + "</code>";
        auto target = targets_.find(text);
        return target == targets_.end() ? shown : "<a href=\"" + target->second + "\">" + shown + "</a>";
    }

    std::string linked(const std::string &text) const {
        std::string out;
        size_t done = 0;
        for (size_t at = text.find("()"); at != std::string::npos; at = text.find("()", at + 2)) {
            size_t start = at;
            while (start > done &&
                   (std::isalnum(static_cast<unsigned char>(text[start - 1])) || text[start - 1] == '_'))
                --start;
            auto target = targets_.find(text.substr(start, at + 2 - start));
            if (target == targets_.end()) continue;
            out += escape(text.substr(done, start - done)) + "<a href=\"" + target->second + "\"><code>" +
                   escape(target->first) + "</code></a>";
            done = at + 2;
        }
        return out + escape(text.substr(done));
    }

    std::string spans(const Spans &list) const {
        std::string out;
        for (const Span &span : list) {
            switch (span.style) {
                case Span::Style::Plain:
                    out += linked(span.text);
                    break;
                case Span::Style::Code:
                    out += code(span.text);
                    break;
                case Span::Style::Strong:
                    out += "<strong>" + escape(span.text) + "</strong>";
                    break;
                case Span::Style::Link:
                    out += link(span);
                    break;
            }
        }
        return out;
    }

    // Links between the chapters stay; what is not part of the reference is only named.
    std::string link(const Span &span) const {
        if (span.target.find("://") != std::string::npos)
            return "<a href=\"" + escape(span.target) + "\">" + escape(span.text) + "</a>";
        const std::string name = span.target.substr(0, span.target.find(".md"));
        const std::string label = span.text.ends_with(".md") ? span.text.substr(0, span.text.size() - 3) : span.text;
        for (const Chapter &chapter : reference_.probes)
            if (chapter.name == name) return "<a href=\"#" + anchor(name) + "\">" + escape(label) + "</a>";
        return escape(label);
    }

    std::string prose(const std::string &text) const { return spans(read_spans(text)); }

    // ---- pages

    std::string index() const {
        std::string body =
            "<p>The functions and probe points that scripts can use. Each family is a page; "
            "<a href=\"probes.html\">probe points</a> describes the kinds that are built in.</p>\n"
            "<table>\n<thead><tr><th scope=\"col\">Family</th><th scope=\"col\">About</th>"
            "<th scope=\"col\">Functions</th><th scope=\"col\">Probes</th></tr></thead>\n<tbody>\n";
        for (const Family &family : reference_.catalogue.families) {
            const auto count = [&](Kind kind) {
                return std::to_string(std::count_if(family.entries.begin(), family.entries.end(),
                                                    [&](const Entry &entry) { return entry.kind == kind; }));
            };
            if (family.entries.empty()) continue;
            body += "<tr><th scope=\"row\"><a href=\"" + family.name + ".html\">" + escape(family.name) +
                    "</a></th><td>" + prose(first_sentence(family.about)) + "</td><td>" + count(Kind::Function) +
                    "</td><td>" + count(Kind::Probe) + "</td></tr>\n";
        }
        return page("Tapset reference", body + "</tbody>\n</table>\n");
    }

    std::string names() const {
        std::set<std::tuple<std::string, Kind, std::string>> all;
        for (const Family &family : reference_.catalogue.families)
            for (const Entry &entry : family.entries) {
                all.emplace(entry.name, entry.kind, family.name + ".html#" + anchor_of(entry));
                for (const Entry::Member &member : entry.members)
                    all.emplace(member.name, entry.kind, family.name + ".html#" + anchor_of(entry.kind, member.name));
            }
        std::string body;
        for (Kind kind : {Kind::Function, Kind::Probe, Kind::Macro, Kind::Global}) {
            std::string list;
            for (const auto &[name, its_kind, target] : all)
                if (its_kind == kind)
                    list += "<li><a href=\"" + target + "\"><code>" + (kind == Kind::Macro ? "@" : "") + escape(name) +
                            (kind == Kind::Function ? "()" : "") + "</code></a></li>\n";
            if (list.empty()) continue;
            body += "<h2>" + std::string(plural(kind)) + "</h2>\n<ul class=\"names\">\n" + list + "</ul>\n";
        }
        return page("All names", body);
    }

    static const char *plural(Kind kind) {
        switch (kind) {
            case Kind::Function:
                return "Functions";
            case Kind::Probe:
                return "Probes";
            case Kind::Macro:
                return "Macros";
            case Kind::Global:
                return "Globals";
        }
        return "";
    }

    std::string entry_text(const Entry &entry, bool first_of_name) const {
        std::string body = "<h3" + (first_of_name ? " id=\"" + anchor_of(entry) + "\"" : std::string()) + "><code>" +
                           escape(entry.signature) + "</code></h3>\n<p>" + prose(capitalised(entry.summary)) + "</p>\n";
        for (const Paragraph &paragraph : entry.details)
            body += paragraph.literal ? "<pre><code>" + escape(paragraph.text) + "</code></pre>\n"
                                      : "<p>" + prose(paragraph.text) + "</p>\n";
        if (!entry.tags.empty()) body += "<p>Needs <code>stap -g</code>.</p>\n";
        if (!entry.parts.empty()) {
            body += "<dl>\n";
            for (const Entry::Part &part : entry.parts)
                body += "<dt><code>" + escape(part.name) + "</code>" +
                        (part.type.empty() ? "" : " <span class=\"type\">" + escape(part.type) + "</span>") +
                        "</dt>\n<dd>" + prose(part.text) + "</dd>\n";
            body += "</dl>\n";
        }
        if (!entry.members.empty()) {
            body += "<dl>\n";
            for (const Entry::Member &member : entry.members) {
                body += "<dt id=\"" + anchor_of(entry.kind, member.name) + "\"><code>" + escape(member.name) +
                        "</code></dt>\n<dd>";
                for (const Entry::Part &part : member.parts)
                    body += "<code>" + escape(part.name) + "</code> <span class=\"type\">" + escape(part.type) +
                            "</span>\n";
                body += "</dd>\n";
            }
            body += "</dl>\n";
        }
        if (!entry.stands_for.empty())
            body += "<p class=\"soft\">Stands for <code>" + escape(entry.stands_for) + "</code>.</p>\n";
        return body;
    }

    std::string family_page(const Family &family) const {
        std::string body = "<p>" + prose(family.about) + "</p>\n";
        const Entry *last = nullptr;
        for (const Entry &entry : family.entries) {
            if (!last || last->kind != entry.kind) body += "<h2>" + std::string(plural(entry.kind)) + "</h2>\n";
            const bool first = !last || last->kind != entry.kind || last->name != entry.name;
            body += entry_text(entry, first);
            last = &entry;
        }
        return page("Tapset " + family.name, body);
    }

    std::string probes() const {
        std::string body = "<ul>\n", chapters;
        for (const Chapter &chapter : reference_.probes) {
            const std::vector<Block> blocks = read_markdown(chapter.text);
            const std::string title = blocks.empty() ? chapter.name : plain(blocks.front().spans);
            body += "<li><a href=\"#" + anchor(chapter.name) + "\">" + escape(title) + "</a></li>\n";
            chapters += "<section id=\"" + anchor(chapter.name) + "\">\n";
            for (const Block &one : blocks)
                chapters += block(one);
            chapters += "</section>\n";
        }
        return page("Probe points", body + "</ul>\n" + chapters);
    }

    std::string block(const Block &block) const {
        switch (block.kind) {
            case Block::Kind::Heading: {
                const std::string tag = "h" + std::to_string(std::clamp(block.level + 1, 2, 6));
                return "<" + tag + ">" + spans(block.spans) + "</" + tag + ">\n";
            }
            case Block::Kind::Paragraph:
                return "<p>" + spans(block.spans) + "</p>\n";
            case Block::Kind::Code:
                return "<pre><code>" + escape(block.code) + "</code></pre>\n";
            case Block::Kind::List: {
                const std::string tag = block.numbered ? "ol" : "ul";
                std::string out = "<" + tag + ">\n";
                for (const auto &row : block.rows)
                    out += "<li>" + spans(row.front()) + "</li>\n";
                return out + "</" + tag + ">\n";
            }
            case Block::Kind::Table:
                break;
        }
        std::string out = "<table>\n";
        for (size_t row = 0; row < block.rows.size(); ++row) {
            if (row == 0) out += "<thead>\n";
            if (row == 1) out += "<tbody>\n";
            out += "<tr>";
            for (const Spans &cell : block.rows[row])
                out += row == 0 ? "<th scope=\"col\">" + spans(cell) + "</th>" : "<td>" + spans(cell) + "</td>";
            out += "</tr>\n";
            if (row == 0) out += "</thead>\n";
        }
        return out + (block.rows.size() > 1 ? "</tbody>\n" : "") + "</table>\n";
    }

    const Reference &reference_;
    std::map<std::string, std::string> targets_;
};

}  // namespace

Files write_html(const Reference &reference) {
    return Writer(reference).run();
}

}  // namespace tapir::docs
