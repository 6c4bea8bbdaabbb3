// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/page_data.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "common/base64.h"
#include "common/json.h"
#include "common/plain_text.h"
#include "report/cards.h"
#include "report/idle_waits.h"
#include "report/no_samples.h"
#include "report/owners.h"
#include "report/units.h"

namespace tapir::report {

namespace {

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

// "owner" has a digit for each frame. A short name is "" where it is the name.
std::string frame_data(const FrameTable &frames, const std::vector<Owner> &owners) {
    std::vector<uint32_t> numbers(frames.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<uint32_t> order = numbers;
    std::sort(order.begin(), order.end(), [&frames](uint32_t a, uint32_t b) {
        const int compared = frames[a].name.compare(frames[b].name);
        return compared ? compared < 0 : a < b;
    });
    const auto list = [&numbers](auto make) { return json_list(numbers, make); };
    NumberedNames objects, files;
    std::string out = "\"names\":" + list([&](uint32_t i) { return json_string(frames[i].name); });
    out += ",\"short\":" + list([&](uint32_t i) {
               const std::string name = short_name(frames[i]);
               return name == frames[i].name ? "\"\"" : json_string(name);
           });
    out += ",\"object\":" + list([&](uint32_t i) { return std::to_string(objects.number(frames[i].object)); });
    out += ",\"file\":" + list([&](uint32_t i) { return std::to_string(files.number(frames[i].file)); });
    out += ",\"objects\":" + objects.json() + ",\"files\":" + files.json();
    out += ",\"line\":" + list([&](uint32_t i) { return std::to_string(frames[i].line); });
    out += ",\"owner\":\"";
    for (const Owner owner : owners)
        out += static_cast<char>('0' + static_cast<int>(owner));
    out += "\",\"flags\":" + list([&](uint32_t i) {
               return std::to_string(static_cast<int>(frames[i].origin) | (frames[i].resolved ? 0 : 4) |
                                     (frames[i].inlined ? 8 : 0) | (only_starts(frames[i]) ? 16 : 0) |
                                     (only_enters(frames[i]) ? 32 : 0));
           });
    return out + ",\"order\":" + json_list(order, [](uint32_t i) { return std::to_string(i); });
}

const char *measure_word(Measure measure) {
    static constexpr const char *kWords[] = {"time", "bytes", "samples", "plain"};
    return kWords[static_cast<size_t>(measure)];
}

}  // namespace

std::string page_texts(const Picture &picture, const PictureOrigin &origin) {
    const Profile &profile = picture.profile;
    const Units units = units_of(profile);
    const auto flag = [](bool is) { return is ? "true" : "false"; };
    std::string out =
        "{\"kind\":" + json_string(origin.kind) + ",\"own\":" + json_string(owner_text(Owner::Own, origin.program));
    out += ",\"measure\":{\"kind\":" + json_string(measure_word(units.measure)) +
           ",\"scale\":" + format("%.17g", units.scale) + ",\"unit\":" + json_string(units.unit) + "}";
    out += std::string(",\"before\":") + flag(picture.before) + ",\"timed\":" + flag(profile.timed) +
           ",\"waits\":" + flag(is_of_waits(profile, picture.frames));
    out += ",\"empty\":" + json_string(no_samples_text(profile));
    out +=
        ",\"threads\":" + json_list(profile.threads, [](const Thread &thread) { return json_string(thread.text()); });
    return out + "," + frame_data(picture.frames, owners_of(picture)) + "}";
}

// report/page/script/10_data.js reads it.
std::string page_numbers(const Picture &picture, const CallTree &tree) {
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
    return to_base64(out);
}

}  // namespace tapir::report
