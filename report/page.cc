// SPDX-License-Identifier: GPL-2.0-or-later
// A page in one file: nothing in it asks for anything else, and the browser would not let it.
#include <algorithm>
#include <map>
#include <numeric>

#include "common/base64.h"
#include "common/json.h"
#include "report/call_tree.h"
#include "report/markup.h"
#include "report/page_texts.h"
#include "report/picture.h"

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

void add_number(std::string &out, uint64_t value) {
    for (; value >= 128; value >>= 7)
        out += static_cast<char>(value | 128);
    out += static_cast<char>(value);
}

// Texts that many frames share.
class NumberedNames {
  public:
    uint32_t number(const std::string &text) {
        const auto [at, fresh] = numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size()));
        if (fresh) json_ += (json_.empty() ? "" : ",") + json_string(text);
        return at->second;
    }
    std::string json() const { return "[" + json_ + "]"; }

  private:
    std::map<std::string, uint32_t> numbers_;
    std::string json_;
};

template <typename List, typename Make>
std::string json_list(const List &list, Make make) {
    std::string out = "[";
    for (size_t i = 0; i < list.size(); i++)
        out += (i ? "," : "") + make(list[i]);
    return out + "]";
}

std::string text_data(const Picture &picture) {
    const FrameTable &frames = picture.frames;
    std::vector<uint32_t> numbers(frames.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    NumberedNames objects, files;
    const std::string object =
        json_list(numbers, [&](uint32_t i) { return std::to_string(objects.number(frames[i].object)); });
    const std::string file =
        json_list(numbers, [&](uint32_t i) { return std::to_string(files.number(frames[i].file)); });
    std::vector<uint32_t> order = numbers;
    std::sort(order.begin(), order.end(), [&frames](uint32_t a, uint32_t b) {
        const int compared = frames[a].name.compare(frames[b].name);
        return compared ? compared < 0 : a < b;
    });
    std::string out =
        "{\"title\":" + json_string(picture.profile.title) + ",\"unit\":" + json_string(picture.profile.unit);
    out += ",\"before\":" + std::string(picture.before ? "true" : "false");
    out += ",\"timed\":" + std::string(picture.profile.timed ? "true" : "false");
    out += ",\"quality\":" +
           json_list(quality_lines(picture.profile), [](const std::string &line) { return json_string(line); });
    out += ",\"threads\":" +
           json_list(picture.profile.threads, [](const Thread &thread) { return json_string(thread.text()); });
    out += ",\"names\":" + json_list(numbers, [&](uint32_t i) { return json_string(frames[i].name); });
    out += ",\"object\":" + object + ",\"objects\":" + objects.json();
    out += ",\"file\":" + file + ",\"files\":" + files.json();
    out += ",\"flags\":" + json_list(numbers, [&](uint32_t i) {
               return std::to_string(static_cast<int>(frames[i].origin) | (frames[i].resolved ? 0 : 4) |
                                     (frames[i].inlined ? 8 : 0));
           });
    out += ",\"order\":" + json_list(order, [](uint32_t i) { return std::to_string(i); });
    return out + "}";
}

// report/page/script/10_data.js reads it.
std::string number_data(const Picture &picture, const CallTree &tree) {
    std::string out;
    add_number(out, tree.nodes.size());
    uint32_t depth = 0;
    for (size_t i = 1; i < tree.nodes.size(); i++) {
        add_number(out, depth + 1 - tree.nodes[i].depth);
        add_number(out, tree.nodes[i].frame);
        depth = tree.nodes[i].depth;
    }
    const Profile &profile = picture.profile;
    std::vector<uint32_t> order(profile.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(tree.row_nodes[a], a) < std::pair(tree.row_nodes[b], b);
    });
    add_number(out, order.size());
    uint32_t last = 0;
    for (const uint32_t row : order) {
        add_number(out, tree.row_nodes[row] - last);
        last = tree.row_nodes[row];
        add_number(out, profile.rows[row].thread);
        add_number(out, static_cast<uint64_t>(profile.rows[row].value));
        add_number(out, profile.rows[row].count);
        if (profile.timed) add_number(out, (profile.rows[row].time + 999) / 1000);
    }
    std::vector<uint32_t> old;
    std::vector<uint64_t> own(tree.nodes.size());
    for (uint32_t i = 0; i < tree.nodes.size(); i++) {
        own[i] += tree.nodes[i].old_count;
        if (i) own[tree.nodes[i].parent] -= tree.nodes[i].old_count;
        if (tree.nodes[i].old_self) old.push_back(i);
    }
    add_number(out, old.size());
    last = 0;
    for (const uint32_t node : old) {
        add_number(out, node - last);
        last = node;
        add_number(out, static_cast<uint64_t>(tree.nodes[node].old_self));
        add_number(out, own[node]);
    }
    return out;
}

// More causes than these would push the picture down: the others are folded. They are the smallest.
constexpr size_t kCausesShown = 3;

std::string quality_item(const std::string &line, const std::string &prefix) {
    const bool missing = line.starts_with("missing:") || line.starts_with("capture:") || line.starts_with("error:");
    return (missing ? "<li class=\"missing\">" : "<li>") + markup(prefix + line) + "</li>\n";
}

std::string folded_causes(const Quality &quality, const std::string &items, const std::string &prefix) {
    double percent = 0;
    for (size_t i = kCausesShown; i < quality.causes.size(); i++)
        percent += quality.causes[i].percent;
    const size_t count = quality.causes.size() - kCausesShown;
    return "<li class=\"missing\"><details><summary>" +
           markup(prefix + "missing: " + percent_text(percent) + ", " + std::to_string(count) + " more causes") +
           "</summary>\n<ul>\n" + items + "</ul></details></li>\n";
}

// The lines of one profile; of that before only what is wrong.
std::string quality_items(const Profile &profile, bool before) {
    const std::string prefix = before ? "before: " : "";
    // A single line takes no more room than what it would be folded to.
    const bool fold = profile.quality.causes.size() > kCausesShown + 1;
    std::string out, folded;
    size_t causes = 0;
    for (const std::string &line : quality_lines(profile)) {
        const bool cause = line.starts_with("missing:");
        if (before && !cause && !line.starts_with("quality:") && !line.starts_with("capture:")) continue;
        (fold && cause && causes++ >= kCausesShown ? folded : out) += quality_item(line, prefix);
        if (fold && cause && causes == profile.quality.causes.size())
            out += folded_causes(profile.quality, folded, prefix);
    }
    return out;
}

std::string quality_list(const Picture &picture) {
    return "<ul id=\"quality\">\n" + quality_items(picture.profile, false) +
           (picture.before ? quality_items(*picture.before, true) : "") + "</ul>\n";
}

}  // namespace

std::string render_page(const Picture &picture) {
    const CallTree tree = make_tree(picture.profile, picture.before, picture.frames);
    const std::string title = markup(picture.profile.title + " (" + picture.profile.unit + ")");
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
           source_hash(kPageScriptSha256) + "; style-src " + source_hash(kPageStyleSha256) +
           "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<title>" +
           title + "</title>\n<style>";
    out += kPageStyle;
    out += "</style>\n</head>\n<body>\n<header>\n<h1>" + title + "</h1>\n" + quality_list(picture) + "</header>\n";
    out += kPageBody;
    out += "<script id=\"data\" type=\"application/json\">" + in_script(text_data(picture)) + "</script>\n";
    out +=
        "<script id=\"numbers\" type=\"text/plain\">" + to_base64(number_data(picture, tree)) + "</script>\n<script>";
    out += kPageScript;
    return out + "</script>\n</body>\n</html>\n";
}

}  // namespace tapir::report
