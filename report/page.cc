// SPDX-License-Identifier: GPL-2.0-or-later
// A page in one file: nothing in it asks for anything else, and the browser would not let it.
#include "common/base64.h"
#include "report/call_tree.h"
#include "report/markup.h"
#include "report/origin.h"
#include "report/page_data.h"
#include "report/page_texts.h"
#include "report/picture.h"
#include "report/trust.h"

namespace tapir::report {

namespace {

// JSON within a script element: nothing in it can end that.
std::string in_script(const std::string &json) {
    std::string out;
    for (const char byte : json) {
        if (byte == '<') {
            out += "\\u003c";
        } else if (byte == '>') {
            out += "\\u003e";
        } else if (byte == '&') {
            out += "\\u0026";
        } else {
            out += byte;
        }
    }
    return out;
}

// As policies name a script, from its SHA-256 in hexadecimal.
std::string source_hash(std::string_view hex) {
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return "'sha256-" + to_base64(bytes) + "'";
}

// The lines of one profile; of that before only what misleads.
std::string trust_items(const Trust &trust, bool before) {
    std::string out;
    for (size_t i = 0; i < (before ? trust.causes : trust.lines.size()); i++) {
        const TrustLine &line = trust.lines[i];
        out += (i < trust.causes ? "<li class=\"missing\">" : "<li>") + markup((before ? "before: " : "") + line.text);
        if (!line.remedy.empty()) out += " <code>" + markup(line.remedy) + "</code>";
        out += "</li>\n";
    }
    return out;
}

std::string capitalized(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

// A badge; behind it what it comes from. The older capture has a say, too.
std::string trust_badge(const Picture &picture) {
    const Trust trust = trust_of(picture.profile);
    TrustState state = trust.state;
    std::string text = trust.text,
                items = "<li>" + markup(quality_text(picture.profile.quality)) + "</li>\n" + trust_items(trust, false);
    if (picture.before) {
        const Trust before = trust_of(*picture.before);
        if (before.state > state) {
            state = before.state;
            text = "before: " + before.text;
        }
        items +=
            "<li>" + markup("before: " + quality_text(picture.before->quality)) + "</li>\n" + trust_items(before, true);
    }
    return "<details id=\"trust\" class=\"" + std::string(trust_word(state)) + "\"><summary>" +
           markup(capitalized(text)) + "</summary>\n<ul id=\"quality\">\n" + items + "</ul></details>\n";
}

// The command is what gives way where there is little room.
std::string line_of_origin(const Picture &picture, const PictureOrigin &origin) {
    std::string out;
    const auto add = [&out](const std::string &text, const std::string &tag) {
        if (text.empty()) return;
        if (!out.empty()) out += "<span> · </span>";
        out += "<" + tag + " title=\"" + markup(text) + "\">" + markup(text) + "</" + tag + ">";
    };
    const PictureOrigin before = picture.before ? origin_before(picture) : PictureOrigin{};
    // The head of a comparison begins with the totals, because shares do not show them.
    add(picture.before ? origin.total + " now, " + before.total + " before" : origin.amount, "span");
    add(origin.command, "code");
    for (const std::string *text : {&origin.host, &origin.kernel, &origin.cpus})
        add(*text, "span");
    add(origin.date + (before.date.empty() ? "" : (origin.date.empty() ? "before: " : ", before: ") + before.date),
        "span");
    return out;
}

std::string page_head(const Picture &picture, const PictureOrigin &origin) {
    const std::string kind = origin.kind + (picture.before ? ", compared" : "");
    const std::string heading =
        origin.program.empty() ? markup(kind) : markup(origin.program) + " <small>" + markup(kind) + "</small>";
    return "<h1>" + heading + "</h1>\n<p class=\"origin\">" + line_of_origin(picture, origin) + "</p>\n" +
           trust_badge(picture);
}

}  // namespace

std::string render_page(const Picture &picture) {
    const CallTree tree = make_tree(picture.profile, picture.before, picture.frames);
    const PictureOrigin origin = origin_of(picture);
    constexpr std::string_view kHere = "<!--head-->";
    const size_t here = kPageBody.find(kHere);
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
           source_hash(kPageScriptSha256) + "; style-src " + source_hash(kPageStyleSha256) +
           "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<title>" +
           markup(heading_of(origin)) + "</title>\n<style>";
    out += kPageStyle;
    out += "</style>\n</head>\n<body>\n";
    out += kPageBody.substr(0, here);
    out += page_head(picture, origin);
    out += kPageBody.substr(here + kHere.size());
    out += "<script id=\"data\" type=\"application/json\">" + in_script(page_texts(picture, origin)) + "</script>\n";
    out += "<script id=\"numbers\" type=\"text/plain\">" + page_numbers(picture, tree) + "</script>\n<script>";
    out += kPageScript;
    return out + "</script>\n</body>\n</html>\n";
}

}  // namespace tapir::report
