// SPDX-License-Identifier: GPL-2.0-or-later
// The summary: of what it is, how far it can be trusted, cards, and the functions with the largest totals.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "common/plain_text.h"
#include "common/quoting.h"
#include "report/call_tree.h"
#include "report/cards.h"
#include "report/fitted_text.h"
#include "report/idle_waits.h"
#include "report/no_samples.h"
#include "report/origin.h"
#include "report/owners.h"
#include "report/picture.h"
#include "report/tables.h"
#include "report/trust.h"
#include "report/units.h"

namespace tapir::report {

namespace {

constexpr size_t kShown = 20, kCausesTold = 3;
// A function with this share of everything and nothing itself only leads to the rest.
constexpr double kLeadsOn = 0.98;
// Columns of the table: share and amount, twice.
constexpr size_t kShare = 8, kAmount = 9, kBeforeName = 2;
constexpr size_t kObject = 24;

// Counts stand without their unit, which the head has.
std::string amount_text(const Units &units, int64_t value) {
    return units.measure == Measure::Plain ? count_text(static_cast<uint64_t>(std::max<int64_t>(value, 0)))
                                           : units.text(value);
}

std::string right(const std::string &text, size_t columns) {
    const size_t width = printable_width(text);
    return std::string(columns > width ? columns - width : 0, ' ') + text;
}

std::string left(const std::string &text, size_t columns) {
    const size_t width = printable_width(text);
    return text + std::string(columns > width ? columns - width : 0, ' ');
}

class Summary {
  public:
    Summary(const Picture &picture, const TextLayout &layout)
        : picture_(picture),
          layout_(layout),
          columns_(std::max<size_t>(layout.columns, 40)),
          units_(units_of(picture.profile)),
          waits_(is_of_waits(picture.profile, picture.frames)) {}
    std::string text();

  private:
    void line(const std::string &text, size_t indent = 0) { out_ += wrapped(text, columns_, indent) + "\n"; }
    void add_head();
    void add_cause_of_nothing();
    void add_trust(const Trust &trust, const std::string &prefix);
    void add_cards();
    void add_functions();
    bool is_listed(uint32_t frame) const;
    // The file name of each frame, or the path where two files have the same name.
    std::vector<std::string> objects() const;
    std::string cell(int64_t value, int64_t all) const {
        return right(share_text(value, all), kShare) + right(amount_text(units_, value), amounts_);
    }

    const Picture &picture_;
    const TextLayout &layout_;
    const size_t columns_;
    const Units units_;
    const bool waits_;
    size_t amounts_ = kAmount;     // columns of amounts
    std::set<uint32_t> in_cards_;  // frames that cards are named by
    std::vector<FrameTotals> totals_, before_;
    std::string out_;
};

void Summary::add_head() {
    const PictureOrigin origin = origin_of(picture_);
    const std::string heading = heading_of(origin) + (origin.amount.empty() ? "" : ", " + origin.amount);
    std::string place;
    for (const std::string *part : {&origin.target, &origin.host, &origin.date})
        if (!part->empty()) place += (place.empty() ? "" : ", ") + *part;
    const size_t width = printable_width(heading) + printable_width(place);
    if (!place.empty() && width + 2 <= columns_) {
        out_ += heading + std::string(columns_ - width, ' ') + place + "\n";
    } else {
        line(heading, 2);
        if (!place.empty()) out_ += cut_in_middle(place, columns_) + "\n";
    }
}

void Summary::add_trust(const Trust &trust, const std::string &prefix) {
    std::string notice;
    double others = 0;
    const Quality &quality = prefix.empty() ? picture_.profile.quality : picture_.before->quality;
    for (const Nameless &nameless : quality.nameless)
        others += nameless.percent;
    if (!quality.nameless.empty())
        notice =
            "; " + share_text(others) + " of the boxes' width has no name (" +
            (quality.nameless[0].object.empty() ? quality.nameless[0].text : base_name(quality.nameless[0].object)) +
            (quality.nameless.size() > 1 ? " and others)" : ")");
    line(prefix + trust.text + notice, 2);
    for (size_t i = 0; i < trust.lines.size(); i++) {
        const TrustLine &one = trust.lines[i];
        const bool cause = i < trust.causes;
        if (one.aside && !layout_.all) continue;
        if (cause && i >= kCausesTold && !layout_.all) continue;
        line((cause ? "  missing: " : "  ") + one.text, 4);
        if (cause && !one.remedy.empty()) line("  help: " + one.remedy, 4);
    }
    if (trust.causes > kCausesTold && !layout_.all)
        line("  " + counted(trust.causes - kCausesTold, "more cause", "more causes") + ": --all");
}

void Summary::add_cards() {
    const CallTree tree = make_tree(picture_.profile, picture_.before, picture_.frames);
    const int64_t all = picture_.profile.total;
    out_ += "\n";
    for (const Card &card : make_cards(tree, picture_.frames, owners_of(picture_))) {
        if (card.named) in_cards_.insert(tree.nodes[card.named].frame);
        std::string text = cell(card.value, all);
        if (picture_.before)
            text += right(share_text(card.before, picture_.before->total), kShare) +
                    right(amount_text(units_, card.before), amounts_);
        const size_t used = printable_width(text) + kBeforeName, room = columns_ - std::min(used, columns_ - 8);
        out_ += text + std::string(kBeforeName, ' ') + cut_in_middle(card.text(room), room) + "\n";
    }
}

bool Summary::is_listed(uint32_t frame) const {
    if (!totals_[frame].total && (!picture_.before || !before_[frame].total)) return false;
    const FrameText &text = picture_.frames[frame];
    if (text.origin == Origin::Mark) return false;
    // All waits end in the same functions of the kernel, which take the processor away.
    if (waits_ && (text.origin == Origin::Kernel || !text.resolved)) return false;
    if (in_cards_.contains(frame)) return true;
    if (!totals_[frame].self && (only_starts(text) || only_enters(text))) return false;
    return totals_[frame].self ||
           static_cast<double>(totals_[frame].total) <= kLeadsOn * static_cast<double>(picture_.profile.total);
}

std::vector<std::string> Summary::objects() const {
    std::map<std::string, std::set<std::string>> paths;
    for (uint32_t i = 0; i < picture_.frames.size(); i++)
        paths[base_name(picture_.frames[i].object)].insert(picture_.frames[i].object);
    std::vector<std::string> out;
    for (uint32_t i = 0; i < picture_.frames.size(); i++) {
        const std::string &path = picture_.frames[i].object, name = base_name(path);
        out.push_back(paths.at(name).size() > 1 ? path : name);
    }
    return out;
}

void Summary::add_functions() {
    std::vector<uint32_t> order;
    for (uint32_t frame = 0; frame < totals_.size(); frame++)
        if (is_listed(frame)) order.push_back(frame);
    // At equal totals, callers come first: they have the larger number.
    std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        return std::tuple(totals_[a].total, totals_[a].self, a) > std::tuple(totals_[b].total, totals_[b].self, b);
    });
    const size_t found = order.size();
    if (!layout_.all && order.size() > kShown) order.resize(kShown);
    const std::string more =
        (found > order.size() ? counted(found - order.size(), "function", "functions") + " more: --all; " : "") +
        "a page: -o FILE.html";
    if (order.empty()) return line(more);
    const std::vector<std::string> objects = this->objects();
    size_t object_width = 0;
    for (const uint32_t frame : order)
        object_width = std::max(object_width, std::min(kObject, printable_width(objects[frame])));
    const size_t numbers = 2 * (kShare + amounts_) + kBeforeName;
    // Where it is narrow, names matter more than files.
    if (columns_ < numbers + object_width + 20) object_width = 0;
    const size_t name_width = columns_ - std::min(columns_ - 8, numbers + (object_width ? object_width + 2 : 0));
    out_ += "\n" + left(right("TOTAL", kShare), kShare + amounts_) +
            left(right(picture_.before ? "BEFORE" : "SELF", kShare), kShare + amounts_) +
            std::string(kBeforeName, ' ') + "FUNCTION\n";
    for (const uint32_t number : order) {
        const FrameTotals &frame = totals_[number];
        const FrameText &text = picture_.frames[number];
        std::string second(kShare + amounts_, ' ');
        if (picture_.before)
            second = right(share_text(before_[number].total, picture_.before->total), kShare) +
                     right(amount_text(units_, before_[number].total), amounts_);
        else if (frame.self && !waits_)
            second = cell(frame.self, picture_.profile.total);
        else
            second = right("-", kShare + amounts_);
        std::string row = cell(frame.total, picture_.profile.total) + second + std::string(kBeforeName, ' ');
        const bool fits = printable_width(text.name) <= name_width;
        const std::string name = fits ? text.name : cut_in_middle(short_name(text), name_width);
        // The name of a frame without one is that of its file.
        row += object_width && text.resolved
                   ? left(name, name_width) + "  " + cut_in_middle(objects[number], object_width)
                   : name;
        row.erase(row.find_last_not_of(' ') + 1);
        out_ += row + "\n";
    }
    line(more);
}

void Summary::add_cause_of_nothing() {
    const NoSamples why = no_samples(picture_.profile);
    if (why.cause.empty()) return;
    line(why.cause, 2);
    // Readers copy the command, so it is never broken.
    if (!why.command.empty()) out_ += "    " + why.command + "\n";
}

std::string Summary::text() {
    add_head();
    add_cause_of_nothing();
    add_trust(trust_of(picture_.profile), "");
    if (picture_.before) add_trust(trust_of(*picture_.before), "before: ");
    if (!picture_.profile.total) return out_;
    totals_ = frame_totals(picture_.profile, picture_.frames);
    if (picture_.before) before_ = frame_totals(*picture_.before, picture_.frames);
    // Numbers are never cut.
    amounts_ = std::max(amounts_, printable_width(amount_text(units_, picture_.profile.total)) + 2);
    if (picture_.before)
        amounts_ = std::max(amounts_, printable_width(amount_text(units_, picture_.before->total)) + 2);
    add_cards();
    add_functions();
    return out_;
}

}  // namespace

std::string render_text(const Picture &picture, capture::Capture &capture, const TextLayout &layout) {
    std::string out;
    // As the script printed it: what shows it to a terminal is the same as for staprun. It is kept once.
    for (capture::Text &text : capture.texts)
        out += std::exchange(text.bytes, std::string());
    if (!out.empty() && out.back() != '\n') out += "\n";
    // Without options there is no fault.
    if (const Outcome<std::string> tables = tables_text(capture, {}, layout.screen); tables) out += *tables;
    // A script that takes no samples has said what it has to say.
    if (!picture.profile.samples && !out.empty()) return out;
    if (!out.empty()) out += "\n";
    return out + Summary(picture, layout).text();
}

}  // namespace tapir::report
