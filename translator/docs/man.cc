// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cctype>
#include <map>

#include "base/roff.h"
#include "docs/markdown.h"
#include "docs/writers.h"

namespace tapir::docs {

namespace {

std::string bold(std::string_view text) {
    return "\\fB" + roff(text, true) + "\\fR";
}

std::string spans_text(const Spans &spans) {
    std::string out;
    for (const Span &span : spans) {
        if (span.style == Span::Style::Link && span.text.ends_with(".md"))
            out += bold(span.text.substr(0, span.text.size() - 3));
        else if (span.style == Span::Style::Code || span.style == Span::Style::Strong)
            out += bold(span.text);
        else
            out += out.empty() ? roff(span.text) : roff("x" + span.text).substr(1);
    }
    return out;
}

std::string prose(std::string_view text) {
    return spans_text(read_spans(text));
}

// A word or several in capitals, as the title line wants it.
std::string capitals(std::string text) {
    for (char &c : text)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string one_line(const std::string &text) {
    std::string line = first_sentence(text);
    if (line.ends_with('.')) line.pop_back();
    return line;
}

class Page {
  public:
    Page(const Reference &reference, const std::string &name)
        : Page(reference.edition, name, "3stap", "Tapset reference") {}
    Page(const Edition &edition, const std::string &name, const std::string &manual, const std::string &title)
        : file_(name + "." + manual) {
        text_ = ".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n.TH \"" + roff(capitals(name), true) + "\" " +
                manual + " \"" + edition.date + "\" \"Tapir " + edition.version + "\" \"" + title + "\"\n";
    }

    void section(const std::string &title) { text_ += ".SH " + title + "\n"; }
    void subsection(const std::string &title) { text_ += ".SS \"" + title + "\"\n"; }
    // Text in lines that roff fills.
    void text(const std::string &line) {
        if (!line.empty()) text_ += line + "\n";
    }
    void paragraph(const std::string &line) {
        if (line.empty()) return;
        text_ += (after_heading() ? "" : ".PP\n") + line + "\n";
    }
    void tagged(const std::string &tag, const std::string &line) {
        text_ += ".TP\n" + tag + "\n" + (line.empty() ? "\\&" : line) + "\n";
    }
    void literal(const std::string &lines) {
        text_ += std::string(after_heading() ? "" : ".PP\n") + ".nf\n.RS 4\n" + roff(lines, true);
        if (!text_.ends_with('\n')) text_ += '\n';
        text_ += ".RE\n.fi\n";
    }
    void see(const std::vector<std::string> &pages) {
        if (pages.empty()) return;
        section("SEE ALSO");
        text_ += ".ad l\n";
        for (size_t i = 0; i < pages.size(); ++i)
            text_ += ".BR " + roff(pages[i], true) + " (3stap)" + (i + 1 < pages.size() ? "," : "") + "\n";
    }
    std::pair<std::string, std::string> done() { return {std::move(file_), std::move(text_)}; }

  private:
    bool after_heading() const {
        size_t last = text_.rfind('\n', text_.size() - 2);
        return text_.compare(last + 1, 3, ".SH") == 0 || text_.compare(last + 1, 3, ".SS") == 0;
    }

    std::string file_, text_;
};

void details(Page &page, const std::vector<Paragraph> &paragraphs) {
    for (const Paragraph &paragraph : paragraphs) {
        if (paragraph.literal)
            page.literal(paragraph.text);
        else
            page.paragraph(prose(paragraph.text));
    }
}

std::string page_of(const Entry &entry) {
    return std::string(kind_word(entry.kind)) + "::" + entry.name;
}

void parts(Page &page, const Entry &entry, bool sections) {
    for (const Entry::Part &part : entry.parts)
        page.tagged(bold(part.name) + (part.type.empty() || !sections ? "" : ":" + roff(part.type)), prose(part.text));
}

// A page about one name: all its overloads.
std::pair<std::string, std::string> entry_page(const Reference &reference, const std::vector<const Entry *> &entries,
                                               const std::string &family) {
    const Entry &first = *entries.front();
    Page page(reference, page_of(first));
    page.section("NAME");
    page.text(roff(page_of(first), true) + " \\- " + prose(one_line(first.summary)));
    page.section("SYNOPSIS");
    for (size_t i = 0; i < entries.size(); ++i)
        page.text((i ? ".br\n" : "") + bold((first.kind == Kind::Probe ? "probe " : "") + entries[i]->signature));
    page.section("DESCRIPTION");
    for (const Entry *entry : entries) {
        page.paragraph((entries.size() > 1 ? bold(entry->signature) + ": " : "") +
                       prose(entries.size() > 1 ? entry->summary : capitalised(entry->summary)));
        details(page, entry->details);
        if (!entry->tags.empty()) page.paragraph("It may be used with \\fBstap \\-g\\fR only.");
        if (!entry->stands_for.empty()) page.paragraph("It stands for " + bold(entry->stands_for) + ".");
    }
    const bool any = std::any_of(entries.begin(), entries.end(), [](const Entry *e) { return !e->parts.empty(); });
    if (any) page.section(first.kind == Kind::Probe ? "VARIABLES" : "ARGUMENTS");
    for (const Entry *entry : entries) {
        if (entries.size() > 1 && !entry->parts.empty()) page.subsection(roff(entry->signature, true));
        parts(page, *entry, true);
    }
    for (const Entry *entry : entries) {
        if (!entry->members.empty()) page.section("NAMES");
        for (const Entry::Member &member : entry->members) {
            std::string list;
            for (const Entry::Part &part : member.parts)
                list += (list.empty() ? "" : ", ") + roff(part.name, true) + ":" + part.type;
            page.tagged(bold(member.name), list);
        }
    }
    page.see({"tapset::" + family, first.kind == Kind::Probe ? "stapprobes" : "stapfuncs"});
    return page.done();
}

const char *heading(Kind kind) {
    switch (kind) {
        case Kind::Function:
            return "FUNCTIONS";
        case Kind::Probe:
            return "PROBES";
        case Kind::Macro:
            return "MACROS";
        case Kind::Global:
            return "GLOBALS";
    }
    return "";
}

// All of a family; families that share variables say them once each on the probes' own pages.
std::pair<std::string, std::string> family_page(const Reference &reference, const Family &family) {
    Page page(reference, "tapset::" + family.name);
    page.section("NAME");
    page.text("tapset::" + roff(family.name, true) + " \\- " + prose(one_line(family.about)));
    page.section("DESCRIPTION");
    page.paragraph(prose(family.about));
    const Entry *last = nullptr;
    for (const Entry &entry : family.entries) {
        if (!last || last->kind != entry.kind) page.section(heading(entry.kind));
        page.tagged(bold(entry.signature), prose(capitalised(entry.summary)));
        last = &entry;
    }
    std::vector<std::string> also;
    for (const Entry &entry : family.entries)
        if (entry.kind != Kind::Global && (also.empty() || also.back() != page_of(entry)))
            also.push_back(page_of(entry));
    page.see(also);
    return page.done();
}

std::pair<std::string, std::string> functions_page(const Reference &reference) {
    Page page(reference, "stapfuncs");
    page.section("NAME");
    page.text("stapfuncs \\- functions of the tapset library");
    page.section("DESCRIPTION");
    page.paragraph(
        "These functions may be called in every script. Each has a page of its own, \\fBfunction::\\fINAME\\fR(3stap); "
        "those of a family are together on \\fBtapset::\\fIFAMILY\\fR(3stap).");
    std::vector<std::string> also = {"stapprobes"};
    for (const Family &family : reference.catalogue.families) {
        bool begun = false;
        for (const Entry &entry : family.entries) {
            if (entry.kind != Kind::Function && entry.kind != Kind::Macro) continue;
            if (!begun) page.section(roff(capitals(family.name), true));
            if (!begun) page.text(prose(one_line(family.about)) + ".");
            if (!begun) also.push_back("tapset::" + family.name);
            begun = true;
            page.tagged(bold(entry.signature), prose(capitalised(first_sentence(entry.summary))));
        }
    }
    page.see(also);
    return page.done();
}

// A table becomes a list: the first column is its tags.
void table(Page &page, const Block &block) {
    for (size_t row = 1; row < block.rows.size(); ++row) {
        std::string rest;
        for (size_t cell = 1; cell < block.rows[row].size(); ++cell) {
            const std::string text = spans_text(block.rows[row][cell]);
            if (!text.empty()) rest += (rest.empty() ? "" : "; ") + text;
        }
        page.tagged(spans_text(block.rows[row].front()), rest);
    }
}

// Headings of level `top` become sections, those below subsections.
void chapter(Page &page, const std::vector<Block> &blocks, int top = 1) {
    for (const Block &block : blocks) {
        switch (block.kind) {
            case Block::Kind::Heading:
                if (block.level == top)
                    page.section("\"" + roff(top == 1 ? plain(block.spans) : capitals(plain(block.spans)), true) +
                                 "\"");
                else
                    page.subsection(roff(plain(block.spans), true));
                break;
            case Block::Kind::Paragraph:
                page.paragraph(spans_text(block.spans));
                break;
            case Block::Kind::List:
                for (const auto &row : block.rows)
                    page.tagged("\\(bu", spans_text(row.front()));
                break;
            case Block::Kind::Table:
                table(page, block);
                break;
            case Block::Kind::Code:
                page.literal(block.code);
                break;
        }
    }
}

std::pair<std::string, std::string> probes_page(const Reference &reference) {
    Page page(reference, "stapprobes");
    page.section("NAME");
    page.text("stapprobes \\- where scripts can be: probe points and the aliases of the tapset library");
    page.section("DESCRIPTION");
    page.paragraph(
        "The sections below describe the kinds of probe points that \\fBstap\\fR itself knows, then the aliases by "
        "family. Each alias has a page of its own, \\fBprobe::\\fINAME\\fR(3stap), which says its variables. "
        "\\fBstap \\-\\-dump\\-probe\\-types\\fR lists all forms, \\fBstap \\-l\\fR what a point means on a kernel.");
    for (const Chapter &one : reference.probes)
        chapter(page, read_markdown(one.text));
    std::vector<std::string> also = {"stapfuncs"};
    for (const Family &family : reference.catalogue.families) {
        bool begun = false;
        for (const Entry &entry : family.entries) {
            if (entry.kind != Kind::Probe) continue;
            if (!begun) page.section("\"Aliases: " + roff(family.name, true) + "\"");
            if (!begun) page.text(prose(one_line(family.about)) + ".");
            if (!begun) also.push_back("tapset::" + family.name);
            begun = true;
            page.tagged(bold(entry.name), prose(capitalised(first_sentence(entry.summary))));
        }
    }
    page.see(also);
    return page.done();
}

// The page of an error: its title and its first paragraph are the line NAME, its level 2 headings the sections.
std::pair<std::string, std::string> error_page(const Edition &edition, const Chapter &error) {
    std::vector<Block> blocks = read_markdown(error.text);
    Page page(edition, error.name, "7", "Errors");
    page.section("NAME");
    if (blocks.size() >= 2 && blocks[0].kind == Block::Kind::Heading && blocks[1].kind == Block::Kind::Paragraph) {
        page.text(roff(plain(blocks[0].spans), true) + " \\- " + prose(one_line(plain(blocks[1].spans))));
        blocks.erase(blocks.begin(), blocks.begin() + 2);
    }
    chapter(page, blocks, 2);
    return page.done();
}

}  // namespace

Files write_error_pages(const std::vector<Chapter> &errors, const Edition &edition) {
    Files files;
    for (const Chapter &error : errors)
        files.push_back(error_page(edition, error));
    return files;
}

Files write_man(const Reference &reference) {
    Files files = {probes_page(reference), functions_page(reference)};
    std::map<std::string, std::pair<std::string, std::vector<const Entry *>>> by_page;
    for (const Family &family : reference.catalogue.families) {
        files.push_back(family_page(reference, family));
        for (const Entry &entry : family.entries) {
            if (entry.kind == Kind::Global) continue;
            auto &[name, entries] = by_page[page_of(entry)];
            name = family.name;
            entries.push_back(&entry);
        }
    }
    for (const auto &[name, page] : by_page)
        files.push_back(entry_page(reference, page.second, page.first));
    return files;
}

}  // namespace tapir::docs
