// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/shortfall.h"

#include <algorithm>

#include "common/plain_text.h"

namespace tapir::report {

bool is_short(capture::End end) {
    return end != capture::End::None && end != capture::End::Complete && end != capture::End::Foreign;
}

bool is_nothing(const capture::Stack &stack) {
    return stack.frames.empty() && stack.kernel == capture::End::None && stack.user == capture::End::None;
}

namespace {

std::string unresolved_hint(const FrameText &frame) {
    if (frame.origin == Origin::Kernel) return "let staprun read /proc/kallsyms: run it as root";
    if (frame.object.empty()) return "let the interpreter write /tmp/perf-PID.map";
    return "install the debug symbols of " + frame.object + ", or do not strip it";
}

}  // namespace

void Shortfall::add(const capture::Stack &stack, const Missing &missing, uint64_t count, int64_t value) {
    const FrameText *unresolved = missing.unresolved;
    taken_ += count;
    const auto weight = static_cast<double>(value);
    total_ += weight;
    const bool user = is_short(stack.user);
    if (user || is_short(stack.kernel)) {
        const capture::End end = user ? stack.user : stack.kernel;
        Part &part = parts_[(user ? "stacks: " : "stacks of the kernel: ") + std::string(end_text(end))];
        part.hint = end_hint(end);
        part.value += weight;
        short_ += weight;
    } else if (is_nothing(stack)) {
        Part &part = parts_["stacks: no stack"];
        part.hint = "sample stacks(), which has the kernel's part and the program's";
        part.value += weight;
        short_ += weight;
    } else if (missing.frames_cut) {
        Part &part = parts_["stacks: frames of an interpreted language did not fit into a string"];
        part.hint = "make strings longer with -DMAXSTRINGLEN=4096";
        part.value += weight;
        short_ += weight;
    } else if (unresolved) {
        Part &part = parts_["stacks with frames without a name in " +
                            (unresolved->object.empty() ? unresolved->name : unresolved->object)];
        part.hint = unresolved_hint(*unresolved);
        part.value += weight;
    }
}

void Shortfall::finish(Quality &quality) {
    // Beside what is in the capture, by reason.
    std::map<std::string, std::pair<uint64_t, std::string>> lost;
    for (const capture::ProbeLedger &probe : capture_.probes)
        for (const capture::ProbeLedger::Skipped &skipped : probe.skipped)
            lost["hits skipped: " + clean(skipped.reason)].first += skipped.count;
    for (const capture::Loss loss : {capture::Loss::Output, capture::Loss::Array}) {
        const uint64_t count = capture_.losses[static_cast<size_t>(loss)];
        if (count) lost[std::string(loss_text(loss))] = {count, std::string(loss_hint(loss))};
    }
    // Those that met a full table are in the capture, with a stack that says so; unless the module gave up earlier.
    const uint64_t full = capture_.losses[static_cast<size_t>(capture::Loss::StackTable)];
    const std::string full_text(loss_text(capture::Loss::StackTable));
    if (full && !parts_.contains("stacks: " + full_text))
        lost[full_text] = {full, std::string(loss_hint(capture::Loss::StackTable))};

    double all_lost = 0;
    for (const auto &[text, what] : lost)
        all_lost += static_cast<double>(what.first);
    const double expected = static_cast<double>(taken_) + all_lost;
    quality.taken = taken_;
    if (capture_.meta.hz && capture_.meta.cpus && capture_.meta.duration) {
        const double wanted = static_cast<double>(capture_.meta.hz) * static_cast<double>(capture_.meta.cpus) *
                              static_cast<double>(capture_.meta.duration) / 1e9;
        // What damaged captures say may be any number.
        quality.wanted = wanted < 0x1p64 ? static_cast<uint64_t>(wanted) : UINT64_MAX;
    }
    const double in_capture = expected > 0 ? static_cast<double>(taken_) / expected : 1;
    double bad = 0;
    for (const auto &[text, what] : lost) {
        const double percent = 100 * static_cast<double>(what.first) / expected;
        if (what.first) quality.causes.push_back({text, what.second, percent});
        bad += percent;
    }
    for (const auto &[text, part] : parts_) {
        if (part.value <= 0) continue;
        const double percent = 100 * in_capture * part.value / total_;
        quality.causes.push_back({text, part.hint, percent});
        bad += percent;
    }
    std::stable_sort(quality.causes.begin(), quality.causes.end(),
                     [](const Cause &a, const Cause &b) { return a.percent > b.percent; });
    quality.percent = quality.causes.empty() ? 100 : std::max(0.0, 100 - bad);
    quality.complete = total_ > 0 ? 100 * (1 - short_ / total_) : 100;
}

std::string percent_text(double percent) {
    // What is not whole is not shown as 100 %, and what is not nothing not as 0 %.
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

}  // namespace

std::string quality_complaint(const Quality &quality, double min_percent) {
    if (!quality.damage.empty()) return "the capture is not sealed: " + quality.damage;
    if (quality.percent >= min_percent) return "";
    std::string out = "only " + percent_text(quality.percent) + " of samples are whole and named, " +
                      percent_text(min_percent) + " were asked for";
    if (quality.causes.empty()) return out;
    const Cause &cause = quality.causes.front();
    out += "; " + percent_text(cause.percent) + ": " + cause.text;
    return cause.hint.empty() ? out : out + " (" + cause.hint + ")";
}

std::vector<std::string> quality_lines(const Profile &profile) {
    const Quality &quality = profile.quality;
    std::vector<std::string> lines;
    lines.push_back("quality: " + percent_text(quality.percent) + " of samples are whole and named");
    std::string taken = "samples: " + std::to_string(quality.taken) + " taken";
    if (quality.wanted)
        taken += format(
            ", the clock ticked %llu times (%llu Hz, %llu CPUs, %.1f s)",
            static_cast<unsigned long long>(quality.wanted), static_cast<unsigned long long>(profile.meta.hz),
            static_cast<unsigned long long>(profile.meta.cpus), static_cast<double>(profile.meta.duration) / 1e9);
    lines.push_back(taken);
    lines.push_back("stacks: " + percent_text(quality.complete) + " complete");
    if (!profile.meta.clock.empty()) lines.push_back("clock: " + clock_text(profile.meta));
    for (const Cause &cause : quality.causes)
        lines.push_back("missing: " + percent_text(cause.percent) + ", " + cause.text);
    if (quality.negative)
        lines.push_back("not shown: " + std::to_string(quality.negative) + " samples whose sum is not above zero");
    if (profile.untimed)
        lines.push_back("times: " + std::to_string(profile.untimed) +
                        " samples have none, and are in no range of time (--times=MEGABYTES keeps more)");
    if (!quality.damage.empty()) lines.push_back("capture: not sealed, " + quality.damage);
    for (const std::string &note : profile.notes)
        lines.push_back(note + (!note.empty() && note.back() >= '0' && note.back() <= '9' ? "." : ""));
    return lines;
}

}  // namespace tapir::report
