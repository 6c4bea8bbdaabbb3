// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/shortfall.h"

#include <algorithm>

#include "common/plain_text.h"
#include "report/units.h"

namespace tapir::report {

bool is_short(capture::End end) {
    return end != capture::End::None && end != capture::End::Complete && end != capture::End::Foreign;
}

bool is_nothing(const capture::Stack &stack) {
    return stack.frames.empty() && stack.kernel == capture::End::None && stack.user == capture::End::None;
}

namespace {

// The walk knew neither the frames nor where they end: the sample is there, its stack is not.
bool is_lost(capture::End end) {
    return end == capture::End::TableFull || end == capture::End::Missing;
}

std::string text_of_nameless(const FrameText &frame) {
    if (frame.origin == Origin::Kernel) return "in the kernel";
    return frame.object.empty() ? "in code that is in no file" : "in " + frame.object;
}

}  // namespace

void Shortfall::add_part(const std::string &text, const std::string &hint, double value, bool lost) {
    Part &part = parts_[text];
    part.hint = hint;
    part.value += value;
    part.lost = lost;
}

void Shortfall::add_boxes(std::span<const uint32_t> row, double value) {
    for (const uint32_t number : row) {
        const FrameText &frame = frames_[number];
        if (frame.origin == Origin::Mark) continue;
        width_ += value;
        if (!frame.resolved)
            nameless_[{frame.origin == Origin::Kernel ? "" : frame.object, text_of_nameless(frame)}] += value;
    }
}

void Shortfall::add(const Sampled &what, std::span<const uint32_t> row, uint64_t count, int64_t value) {
    taken_ += count;
    const auto weight = static_cast<double>(value);
    total_ += weight;
    add_boxes(row, weight);
    for (const capture::Stack *stack : {what.stack, what.waker}) {
        if (!stack) continue;
        const bool user = is_short(stack->user);
        if (user || is_short(stack->kernel)) {
            const capture::End end = user ? stack->user : stack->kernel;
            const std::string whose = stack == what.waker ? "stacks of wakers: "
                                      : user              ? "stacks: "
                                                          : "stacks of the kernel: ";
            return add_part(whose + std::string(end_text(end)), std::string(end_hint(end)), weight, is_lost(end));
        }
        if (is_nothing(*stack))
            return add_part("stacks: no stack", "sample stacks(), which has the kernel's part and the program's",
                            weight, false);
    }
    if (what.frames_cut)
        add_part("stacks: frames of an interpreted language did not fit into a string",
                 "make strings longer than they were with -DMAXSTRINGLEN=N, at most 65536", weight, false);
}

void Shortfall::lose(const std::string &why, const std::string &hint, uint64_t count) {
    if (!count) return;
    Loss &loss = lost_[why];
    loss.hint = hint;
    if (__builtin_add_overflow(loss.count, count, &loss.count)) loss.count = UINT64_MAX;
}

// Adds the losses that the session counted outside of the capture.
void Shortfall::add_losses() {
    for (const capture::ProbeLedger &probe : capture_.probes)
        for (const capture::ProbeLedger::Skipped &skipped : probe.skipped)
            lose("hits skipped: " + clean(skipped.reason), "", skipped.count);
    for (const capture::Loss loss : {capture::Loss::Output, capture::Loss::Array, capture::Loss::Overflow})
        lose(std::string(loss_text(loss)), std::string(loss_hint(loss)), capture_.losses[static_cast<size_t>(loss)]);
    // Those that met a full table are in the capture, with a stack that says so; unless the module gave up earlier.
    const std::string full(loss_text(capture::Loss::StackTable));
    if (!parts_.contains("stacks: " + full))
        lose(full, std::string(loss_hint(capture::Loss::StackTable)),
             capture_.losses[static_cast<size_t>(capture::Loss::StackTable)]);
}

void Shortfall::finish_names(Quality &quality) const {
    for (const auto &[where, width] : nameless_) {
        if (width <= 0) continue;
        quality.nameless.push_back({where.first, where.second, 100 * width / width_});
        quality.unnamed += quality.nameless.back().percent;
    }
    std::stable_sort(quality.nameless.begin(), quality.nameless.end(),
                     [](const Nameless &a, const Nameless &b) { return a.percent > b.percent; });
    quality.unnamed = std::min(quality.unnamed, 100.0);
}

void Shortfall::finish(Quality &quality) {
    add_losses();
    quality.taken = taken_;
    if (capture_.meta.hz && capture_.meta.cpus && capture_.meta.duration) {
        const double wanted = static_cast<double>(capture_.meta.hz) * static_cast<double>(capture_.meta.cpus) *
                              static_cast<double>(capture_.meta.duration) / 1e9;
        // A damaged capture may give any number here.
        quality.wanted = wanted < 0x1p64 ? static_cast<uint64_t>(wanted) : UINT64_MAX;
    }
    double expected = static_cast<double>(taken_);
    for (const auto &[text, loss] : lost_)
        expected += static_cast<double>(loss.count);
    const double in_picture = expected > 0 ? static_cast<double>(taken_) / expected : 1;
    for (const auto &[text, loss] : lost_) {
        const double percent = 100 * static_cast<double>(loss.count) / expected;
        quality.causes.push_back({text, loss.hint, percent});
        quality.lost += percent;
    }
    for (const auto &[text, part] : parts_) {
        if (part.value <= 0) continue;
        const double percent = 100 * in_picture * part.value / total_;
        quality.causes.push_back({text, part.hint, percent});
        (part.lost ? quality.lost : quality.cut) += percent;
    }
    std::stable_sort(quality.causes.begin(), quality.causes.end(),
                     [](const Cause &a, const Cause &b) { return a.percent > b.percent; });
    quality.complete = quality.causes.empty() ? 100 : std::max(0.0, 100 - quality.cut - quality.lost);
    finish_names(quality);
}

std::string percent_text(double percent) {
    // Shows a part as 100 % only if it is everything, and as 0 % only if it is nothing.
    if (percent >= 100) return "100 %";
    if (percent > 99.9) return percent >= 99.99 ? "> 99.99 %" : format("%.2f %%", percent);
    if (percent >= 1) return format("%.1f %%", percent);
    if (percent <= 0) return "0 %";
    return percent < 0.01 ? "< 0.01 %" : format("%.2f %%", percent);
}

namespace {

std::string clock_text(const capture::Meta &meta) {
    if (meta.clock == "soft") return "soft clock: samples skid to where interrupts are enabled";
    if (meta.clock == "pmu") return "events of the processor (NMI)";
    if (meta.clock == "probe") return "hits of probes";
    return clean(meta.clock);
}

// Files with names to be found; others have less than these.
constexpr size_t kNamelessShown = 3;

void add_names(const Quality &quality, std::vector<std::string> &lines) {
    double others = 0;
    for (size_t i = 0; i < quality.nameless.size(); i++) {
        const Nameless &nameless = quality.nameless[i];
        if (i < kNamelessShown)
            lines.push_back("without a name: " + nameless.text + ", " + percent_text(nameless.percent));
        else
            others += nameless.percent;
    }
    if (others > 0)
        lines.push_back(format("without a name: in %zu more files, %s", quality.nameless.size() - kNamelessShown,
                               percent_text(others).c_str()));
}

}  // namespace

std::string quality_complaint(const Quality &quality, double min_percent) {
    if (!quality.damage.empty()) return "the capture is not sealed: " + quality.damage;
    if (quality.complete >= min_percent) return "";
    std::string out = "only " + percent_text(quality.complete) + " of the samples are complete, " +
                      percent_text(min_percent) + " were asked for";
    if (quality.causes.empty()) return out;
    const Cause &cause = quality.causes.front();
    out += "; " + percent_text(cause.percent) + ": " + cause.text;
    return cause.hint.empty() ? out : out + " (" + cause.hint + ")";
}

std::string quality_text(const Quality &quality) {
    return percent_text(quality.complete) + " complete, " + percent_text(quality.cut) + " cut, " +
           percent_text(quality.lost) + " lost; " + percent_text(quality.unnamed) + " without a name";
}

std::vector<std::string> quality_lines(const Profile &profile) {
    const Quality &quality = profile.quality;
    std::vector<std::string> lines;
    lines.push_back("quality: " + quality_text(quality));
    std::string taken = "samples: " + std::to_string(quality.taken) + " taken";
    if (quality.wanted)
        taken += format(
            ", the clock ticked %llu times (%llu Hz, %llu CPUs, %.1f s)",
            static_cast<unsigned long long>(quality.wanted), static_cast<unsigned long long>(profile.meta.hz),
            static_cast<unsigned long long>(profile.meta.cpus), static_cast<double>(profile.meta.duration) / 1e9);
    lines.push_back(taken);
    if (!profile.meta.clock.empty()) lines.push_back("clock: " + clock_text(profile.meta));
    for (const Cause &cause : quality.causes)
        lines.push_back("missing: " + percent_text(cause.percent) + ", " + cause.text);
    add_names(quality, lines);
    if (quality.negative)
        lines.push_back("not shown: " + count_text(quality.negative) +
                        " samples of stacks whose sum is not above zero (" +
                        units_of(profile).text(quality.negative_sum) + ")");
    if (profile.untimed)
        lines.push_back("times: " + std::to_string(profile.untimed) +
                        " samples have none, and are in no range of time (--times=MEGABYTES keeps more)");
    if (!quality.damage.empty()) lines.push_back("capture: not sealed, " + quality.damage);
    for (const std::string &note : profile.notes)
        lines.push_back(note + (!note.empty() && note.back() >= '0' && note.back() <= '9' ? "." : ""));
    return lines;
}

}  // namespace tapir::report
