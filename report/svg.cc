// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph that needs nothing but a viewer of SVG. Where scripts run, boxes can be clicked and searched.
#include <algorithm>

#include "common/plain_text.h"
#include "report/call_tree.h"
#include "report/colors_of_frames.h"
#include "report/markup.h"
#include "report/page_texts.h"
#include "report/picture.h"

namespace tapir::report {

namespace {

constexpr double kWidth = 1200, kMargin = 10, kRow = 17, kColumn = 7.2;
// Thinner boxes are left out.
constexpr double kThinnest = 0.25;
constexpr size_t kHeadLines = 12;

class Svg {
  public:
    explicit Svg(const Picture &picture)
        : picture_(picture), tree_(make_tree(picture.profile, picture.before, picture.frames)) {}
    std::string draw();

  private:
    void find_boxes();
    std::vector<std::string> head_lines() const;
    void add_head(std::string &out, double height);
    void add_box(std::string &out, size_t index);
    std::string title_of(const TreeNode &node) const;
    double top() const { return 58 + 15 * static_cast<double>(lines_.size()); }

    const Picture &picture_;
    const CallTree tree_;
    std::vector<std::string> lines_;
    std::vector<int64_t> starts_;
    std::vector<bool> shown_;
    uint32_t deepest_ = 0;
    size_t left_out_ = 0;
    double scale_ = 0;
};

void Svg::find_boxes() {
    const size_t count = tree_.nodes.size();
    scale_ = (kWidth - 2 * kMargin) / static_cast<double>(std::max<int64_t>(tree_.nodes[0].total, 1));
    starts_.resize(count);
    shown_.resize(count);
    std::vector<int64_t> free(count);
    for (size_t i = 0; i < count; i++) {
        const TreeNode &node = tree_.nodes[i];
        if (i) {
            starts_[i] = free[node.parent];
            free[node.parent] += node.total;
        }
        free[i] = starts_[i];
        shown_[i] = !i || (shown_[node.parent] && static_cast<double>(node.total) * scale_ >= kThinnest);
        if (shown_[i]) {
            deepest_ = std::max(deepest_, node.depth);
        } else if (node.total) {
            left_out_++;
        }
    }
}

std::vector<std::string> Svg::head_lines() const {
    std::vector<std::string> lines = quality_lines(picture_.profile);
    if (picture_.before) {
        int64_t gone = 0;
        for (size_t i = 1; i < tree_.nodes.size(); i++)
            if (!tree_.nodes[i].total && tree_.nodes[tree_.nodes[i].parent].total) gone += tree_.nodes[i].old_total;
        lines.push_back(
            "compared: red has a larger share than before, blue a smaller one, violet is new, grey is noise");
        lines.push_back("vanished: " +
                        percent_text(100 * static_cast<double>(gone) /
                                     static_cast<double>(std::max<int64_t>(tree_.nodes[0].old_total, 1))) +
                        " of what was there before is in stacks that are not here");
        lines.push_back("before: " + quality_lines(*picture_.before)[0]);
    }
    if (lines.size() > kHeadLines) {
        const size_t more = lines.size() - kHeadLines + 1;
        lines.resize(kHeadLines - 1);
        lines.push_back("and " + std::to_string(more) + " more lines, which --format=text shows");
    }
    if (left_out_) lines.push_back(std::to_string(left_out_) + " boxes are too thin to be drawn");
    return lines;
}

void Svg::add_head(std::string &out, double height) {
    const Profile &profile = picture_.profile;
    out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- stap-report\n";
    for (std::string line : quality_lines(profile)) {
        // A comment must not have two of them.
        std::replace(line.begin(), line.end(), '-', '_');
        out += markup(line) + "\n";
    }
    append(out,
           "-->\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 "
           "0 %.0f "
           "%.0f\" role=\"img\" aria-labelledby=\"name\">\n",
           kWidth, height, kWidth, height);
    out += "<title id=\"name\">" + markup(profile.title + " (" + profile.unit + ")") + "</title>\n<style>\n";
    out += kSvgStyle;
    out +=
        "</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#d8d8d8\"/><rect width=\"2\" "
        "height=\"6\" "
        "fill=\"#b0b0b0\"/></pattern></defs>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
    append(out, "<text class=\"title\" x=\"%.0f\" y=\"26\">%s</text>\n", kWidth / 2,
           markup(profile.title + " (" + profile.unit + ")").c_str());
    double y = 44;
    for (const std::string &line : lines_) {
        append(out, "<text class=\"head\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", kMargin, y,
               markup(fitted(line, 170)).c_str());
        y += 15;
    }
    append(
        out,
        "<text class=\"tool\" id=\"reset\" x=\"%.0f\" y=\"26\">Reset zoom</text>\n<text class=\"tool\" id=\"search\" "
        "x=\"%.0f\" y=\"26\">Search</text>\n<text class=\"head\" id=\"found\" x=\"%.0f\" y=\"44\"> </text>\n<g "
        "id=\"boxes\">\n",
        kMargin, kWidth - 70, kWidth - 200);
}

std::string Svg::title_of(const TreeNode &node) const {
    const TreeNode &root = tree_.nodes[0];
    const double percent =
        100 * static_cast<double>(node.total) / static_cast<double>(std::max<int64_t>(root.total, 1));
    std::string out;
    if (&node == &root) {
        out = "all";
    } else {
        const FrameText &frame = picture_.frames[node.frame];
        out = frame.name;
        if (!frame.object.empty() && frame.resolved) out += " [" + frame.object + "]";
        if (frame.inlined) out += " (inlined)";
    }
    append(out, ", %lld %s, %s", static_cast<long long>(node.total), picture_.profile.unit.c_str(),
           percent_text(percent).c_str());
    if (picture_.before) append(out, ", %+.2f points", difference(node, root).points);
    return out;
}

void Svg::add_box(std::string &out, size_t index) {
    const TreeNode &node = tree_.nodes[index];
    const FrameText &frame = picture_.frames[node.frame];
    const double width = static_cast<double>(node.total) * scale_;
    const double x = kMargin + static_cast<double>(starts_[index]) * scale_;
    const double y = top() + kRow * (deepest_ - node.depth);
    std::string fill = "#e0e0e0";
    if (picture_.before) {
        fill = color_text(hue_of(difference(node, tree_.nodes[0])));
    } else if (index && (!frame.resolved || frame.origin == Origin::Mark)) {
        fill = "url(#hatch)";
    } else if (index) {
        fill = color_text(hue_of(frame));
    }
    out += "<g><title>" + markup(title_of(node)) + "</title>";
    append(out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\" fill=\"%s\"/>", x, y, width, kRow - 1,
           fill.c_str());
    const std::string text =
        fitted(index ? frame.name : "all", static_cast<size_t>(std::max(width - 4, 0.0) / kColumn));
    append(out, "<text x=\"%.2f\" y=\"%.0f\">%s</text></g>\n", x + 3, y + 12, markup(text).c_str());
}

std::string Svg::draw() {
    find_boxes();
    lines_ = head_lines();
    std::string out;
    add_head(out, top() + kRow * (deepest_ + 1) + kMargin);
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
