// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph that needs nothing but a viewer of SVG: the root on top, the widest first. Where scripts run, boxes can
// be clicked and searched.
#include <algorithm>
#include <array>

#include "common/plain_text.h"
#include "report/call_tree.h"
#include "report/cards.h"
#include "report/colors_of_frames.h"
#include "report/markup.h"
#include "report/no_samples.h"
#include "report/origin.h"
#include "report/page_texts.h"
#include "report/picture.h"
#include "report/trust.h"
#include "report/units.h"

namespace tapir::report {

namespace {

constexpr double kWidth = 1200, kMargin = 10, kRow = 17, kColumn = 7.2, kLine = 15, kFirstLine = 44;
// Thinner boxes are left out; wider ones have their share behind the name.
constexpr double kThinnest = 0.25, kShareShown = 130;
constexpr size_t kHeadLines = 12, kHeadColumns = 170;

struct HeadLine {
    const char *style;  // a class of svg.css
    std::string text;
};

// "+59 pp", "-0.4 pp"
std::string points_text(double points) {
    return format(std::abs(points) < 10 ? "%+.1f pp" : "%+.0f pp", points);
}

class Svg {
  public:
    explicit Svg(const Picture &picture)
        : picture_(picture),
          tree_(make_tree(picture.profile, picture.before, picture.frames)),
          owners_(owners_of(picture)),
          origin_(origin_of(picture)),
          units_(units_of(picture.profile)) {}
    std::string draw();

  private:
    void find_boxes();
    void add_trust_lines(const Profile &profile, const std::string &prefix, std::vector<HeadLine> &lines) const;
    void add_difference_lines(std::vector<HeadLine> &lines) const;
    std::vector<HeadLine> head_lines() const;
    void add_beginning(std::string &out, double height) const;
    void add_head(std::string &out) const;
    void add_legend(std::string &out, double y) const;
    void add_axis(std::string &out) const;
    void add_box(std::string &out, size_t index) const;
    std::string fill_of(size_t index) const;
    std::string title_of(const TreeNode &node) const;
    double top() const { return kFirstLine + kLine * (static_cast<double>(lines_.size()) + 2) + 8; }

    const Picture &picture_;
    const CallTree tree_;
    const std::vector<Owner> owners_;
    const PictureOrigin origin_;
    const Units units_;
    std::vector<HeadLine> lines_;
    std::vector<int64_t> starts_;
    std::vector<bool> shown_;
    uint32_t deepest_ = 0;
    size_t left_out_ = 0;
    double scale_ = 0;
};

void Svg::find_boxes() {
    const size_t count = tree_.nodes.size();
    const Children children(tree_);
    scale_ = (kWidth - 2 * kMargin) / static_cast<double>(std::max<int64_t>(tree_.nodes[0].total, 1));
    starts_.resize(count);
    shown_.resize(count);
    // Parents come before their children.
    for (uint32_t i = 0; i < count; i++) {
        const TreeNode &node = tree_.nodes[i];
        int64_t free = starts_[i];
        for (const uint32_t child : children.of(i)) {
            starts_[child] = free;
            free += tree_.nodes[child].total;
        }
        shown_[i] = !i || (shown_[node.parent] && static_cast<double>(node.total) * scale_ >= kThinnest);
        if (shown_[i]) {
            deepest_ = std::max(deepest_, node.depth);
        } else if (node.total) {
            left_out_++;
        }
    }
}

void Svg::add_trust_lines(const Profile &profile, const std::string &prefix, std::vector<HeadLine> &lines) const {
    static constexpr const char *kStyles[] = {"good", "part", "bad"};
    static constexpr const char *kSigns[] = {"● ", "◆ ", "■ "};
    const Trust trust = trust_of(profile);
    const auto state = static_cast<size_t>(trust.state);
    lines.push_back({kStyles[state], kSigns[state] + prefix + trust.text});
    for (size_t i = 0; i < trust.lines.size(); i++) {
        const TrustLine &line = trust.lines[i];
        // The earlier profile has only the lines that say why it misleads.
        if (!prefix.empty() && i >= trust.causes) break;
        lines.push_back({"head", (i < trust.causes ? prefix + "missing: " : "") + line.text +
                                     (line.remedy.empty() ? "" : " (" + line.remedy + ")")});
    }
}

void Svg::add_difference_lines(std::vector<HeadLine> &lines) const {
    int64_t gone = 0;
    for (size_t i = 1; i < tree_.nodes.size(); i++)
        if (!tree_.nodes[i].total && tree_.nodes[tree_.nodes[i].parent].total) gone += tree_.nodes[i].old_total;
    lines.push_back(
        {"head", "orange has a larger share than before, blue a smaller one, ● is new, gray is within chance"});
    lines.push_back({"head", share_text(gone, tree_.nodes[0].old_total) +
                                 " of what was there before is in stacks that are not here"});
}

std::vector<HeadLine> Svg::head_lines() const {
    std::vector<HeadLine> lines;
    const std::string line = origin_line(origin_);
    lines.push_back({"head", origin_.amount + (line.empty() || origin_.amount.empty() ? "" : " · ") + line});
    add_trust_lines(picture_.profile, "", lines);
    if (picture_.before) {
        add_trust_lines(*picture_.before, "before: ", lines);
        add_difference_lines(lines);
    }
    if (lines.size() > kHeadLines) {
        const size_t more = lines.size() - kHeadLines + 1;
        lines.resize(kHeadLines - 1);
        lines.push_back({"head", "and " + std::to_string(more) + " more lines, which stap-report --all shows"});
    }
    if (left_out_) lines.push_back({"head", counted(left_out_, "box is", "boxes are") + " too thin to be drawn"});
    for (const Card &card : make_cards(tree_, picture_.frames, owners_)) {
        std::string text = format("%7s %9s  ", share_text(card.value, picture_.profile.total).c_str(),
                                  units_.text(card.value).c_str());
        if (picture_.before)
            text += "before " + format("%7s %9s  ", share_text(card.before, picture_.before->total).c_str(),
                                       units_.text(card.before).c_str());
        lines.push_back({card.owner == Owner::Fact ? "card fact" : "card", text + card.text()});
    }
    if (const std::string why = no_samples_text(picture_.profile); !why.empty()) lines.push_back({"title", why});
    return lines;
}

// Boxes without a name are hatched in their owner's color.
std::string hatch(Owner owner) {
    return format(
        "<pattern id=\"%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"%s\"/><rect width=\"1.5\" "
        "height=\"6\" fill=\"#fff\" fill-opacity=\"0.55\"/><rect x=\"3\" width=\"1\" height=\"6\" "
        "fill=\"#000\" fill-opacity=\"0.12\"/></pattern>",
        owner_word(owner), color_of(owner, {}).c_str());
}

void Svg::add_beginning(std::string &out, double height) const {
    const std::string heading = heading_of(origin_);
    out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- stap-report\n";
    std::vector<std::string> comment = origin_lines(picture_);
    for (const std::string &line : quality_lines(picture_.profile))
        comment.push_back(line);
    for (std::string &line : comment) {
        // A comment must not have two of them.
        std::replace(line.begin(), line.end(), '-', '_');
        out += markup(line) + "\n";
    }
    append(out,
           "-->\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 "
           "0 %.0f %.0f\" role=\"img\" aria-labelledby=\"name\">\n",
           kWidth, height, kWidth, height);
    out += "<title id=\"name\">" + markup(heading) + "</title>\n<style>\n";
    out += kSvgStyle;
    out += "</style>\n<defs>";
    for (size_t i = 0; i < kOwners; i++)
        out += hatch(static_cast<Owner>(i));
    out += "</defs>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
}

void Svg::add_head(std::string &out) const {
    append(out, "<text class=\"title\" x=\"%.0f\" y=\"26\">%s</text>\n", kMargin,
           markup(fitted(heading_of(origin_), 100)).c_str());
    double y = kFirstLine;
    for (const HeadLine &line : lines_) {
        append(out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", line.style, kMargin, y,
               markup(fitted(line.text, kHeadColumns)).c_str());
        y += kLine;
    }
    if (!picture_.before && picture_.profile.total) add_legend(out, y + 2);
    if (picture_.profile.total) add_axis(out);
    append(out,
           "<text class=\"tool\" id=\"reset\" x=\"%.0f\" y=\"26\">Reset zoom</text>\n<text class=\"tool\" "
           "id=\"search\" x=\"%.0f\" y=\"26\">Search</text>\n<text class=\"head\" id=\"found\" x=\"%.0f\" y=\"44\"> "
           "</text>\n<g id=\"boxes\">\n",
           kWidth - 150, kWidth - 60, kWidth - 150);
}

// The legend gives each owner the samples' values that its functions have themselves.
void Svg::add_legend(std::string &out, double y) const {
    std::array<int64_t, kOwners> sums = {};
    for (const Row &row : picture_.profile.rows)
        sums[static_cast<size_t>(owners_[row.frames.back()])] += row.value;
    double x = kMargin;
    for (size_t i = 0; i < kOwners; i++) {
        if (!sums[i]) continue;
        const auto owner = static_cast<Owner>(i);
        const std::string text =
            fitted(owner_text(owner, origin_.program), 30) + " " + share_text(sums[i], picture_.profile.total);
        append(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.0f\" width=\"11\" height=\"11\" fill=\"%s\"/>",
               owner_word(owner), x, y - 10, owner == Owner::Fact ? "url(#fact)" : color_of(owner, {}).c_str());
        append(out, "<text class=\"head\" x=\"%.1f\" y=\"%.0f\">%s</text>\n", x + 16, y, markup(text).c_str());
        x += 16 + 6.8 * static_cast<double>(text.size()) + 18;
    }
}

// Times where they were measured, else shares.
void Svg::add_axis(std::string &out) const {
    for (int i = 0; i <= 4; i++) {
        const int64_t value = picture_.profile.total / 4 * i + picture_.profile.total % 4 * i / 4;
        const std::string text = units_.measure == Measure::Time ? units_.text(value) : format("%d %%", 25 * i);
        append(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>\n",
               kMargin + (kWidth - 2 * kMargin) * i / 4, top() - 4,
               i == 0   ? "start"
               : i == 4 ? "end"
                        : "middle",
               text.c_str());
    }
}

// The name in the first line, the amounts in the second.
std::string Svg::title_of(const TreeNode &node) const {
    const TreeNode &root = tree_.nodes[0];
    std::string out;
    if (&node == &root) {
        out = "all";
    } else {
        const FrameText &frame = picture_.frames[node.frame];
        out = frame.name;
        if (!frame.object.empty() && frame.resolved) out += " [" + frame.object + "]";
        if (frame.inlined) out += " (inlined)";
    }
    out += "\n" + units_.long_text(node.total) + ", " + share_text(node.total, root.total);
    if (picture_.before)
        out += ", before " + units_.text(node.old_total) + ", " + share_text(node.old_total, root.old_total) + ", " +
               points_text(difference(node, root).points);
    return out;
}

std::string Svg::fill_of(size_t index) const {
    if (!index) return "#e0e0e0";
    const TreeNode &node = tree_.nodes[index];
    if (picture_.before) return color_of(difference(node, tree_.nodes[0]));
    const FrameText &frame = picture_.frames[node.frame];
    const Owner owner = owners_[node.frame];
    if (!frame.resolved || owner == Owner::Fact) return std::string("url(#") + owner_word(owner) + ")";
    return color_of(owner, frame);
}

void Svg::add_box(std::string &out, size_t index) const {
    const TreeNode &node = tree_.nodes[index];
    // The root has no frame, and the table may have none.
    static const FrameText kRoot;
    const FrameText &frame = index ? picture_.frames[node.frame] : kRoot;
    const double width = static_cast<double>(node.total) * scale_;
    const double x = kMargin + static_cast<double>(starts_[index]) * scale_;
    const double y = top() + kRow * node.depth;
    std::string name = index ? short_name(frame) : "all", share = share_text(node.total, tree_.nodes[0].total);
    if (picture_.before && index) {
        const Difference changed = difference(node, tree_.nodes[0]);
        if (changed.change == Change::New) name = "● " + name;
        if (changed.change != Change::Noise) share = points_text(changed.points);
    }
    append(out, "<g data-value=\"%lld\" data-name=\"%s\" data-share=\"%s\"><title>%s</title>",
           static_cast<long long>(node.total), markup(name).c_str(), markup(share).c_str(),
           markup(title_of(node)).c_str());
    append(out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\" fill=\"%s\"/>",
           index && !picture_.before && frame.resolved ? owner_word(owners_[node.frame]) : "plain", x, y, width,
           kRow - 1, fill_of(index).c_str());
    auto columns = static_cast<size_t>(std::max(width - 4, 0.0) / kColumn);
    const bool shared = width >= kShareShown && columns > share.size() + 4;
    if (shared) columns -= share.size() + 2;
    append(out, "<text x=\"%.2f\" y=\"%.0f\">%s%s</text></g>\n", x + 3, y + 12, markup(fitted(name, columns)).c_str(),
           shared ? ("  " + markup(share)).c_str() : "");
}

std::string Svg::draw() {
    find_boxes();
    lines_ = head_lines();
    std::string out;
    add_beginning(out, top() + kRow * (deepest_ + 1) + kMargin);
    add_head(out);
    for (size_t i = 0; i < tree_.nodes.size(); i++)
        if (shown_[i]) add_box(out, i);
    out += "</g>\n<script><![CDATA[\n";
    out += kSvgScript;
    return out + "]]></script>\n</svg>\n";
}

}  // namespace

std::string render_svg(const Picture &picture) {
    return Svg(picture).draw();
}

}  // namespace tapir::report
