// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/heaviest_paths.h"

#include <algorithm>
#include <map>

#include "report/cards.h"
#include "report/idle_waits.h"

namespace tapir::report {

namespace {

// Own functions of a path; what they have in common is at the root, and says least.
constexpr size_t kOwnShown = 3;

// Of the program itself, and not of a library.
bool is_own(const FrameText &frame) {
    if (frame.origin == Origin::Script) return true;
    return frame.origin == Origin::Program && frame.resolved && !frame.object.empty() &&
           frame.object.find(".so") == std::string::npos && frame.object[0] != '[';
}

std::string path_of(const Row &row, const FrameTable &frames) {
    const auto at = [&](size_t i) -> const FrameText & { return frames[row.frames[i]]; };
    std::string idle;
    size_t first = 0;
    for (; first + 1 < row.frames.size() && at(first).origin == Origin::Mark; first++)
        if (at(first).name == kIdle) idle = std::string(kIdle) + " ";
    size_t own = row.frames.size();
    while (own > first && !is_own(at(own - 1)))
        own--;
    // What the innermost own function calls: pthread_mutex_lock(), and not what that needs.
    size_t what = own > first ? own : row.frames.size();
    if (what < row.frames.size() && (at(what).origin == Origin::Kernel || !at(what).resolved)) what = row.frames.size();
    std::string text;
    if (what < row.frames.size()) {
        text = short_name(at(what));
    } else if (own == first) {
        // No own function: the innermost that has a name, of the program before the kernel.
        size_t named = row.frames.size();
        while (named > first && (at(named - 1).origin == Origin::Kernel || !at(named - 1).resolved))
            named--;
        text = short_name(at(named > first ? named - 1 : row.frames.size() - 1));
    }
    for (size_t shown = 0; shown < kOwnShown && own > first; own--) {
        if (!is_own(at(own - 1))) continue;
        text += (text.empty() ? "" : " < ") + short_name(at(own - 1));
        shown++;
    }
    return idle + text;
}

}  // namespace

std::vector<Path> heaviest_paths(const Picture &picture, size_t most) {
    std::map<std::string, int64_t> sums;
    for (const Row &row : picture.profile.rows)
        sums[path_of(row, picture.frames)] += row.value;
    std::vector<Path> out;
    for (const auto &[text, value] : sums)
        out.push_back({text, value});
    std::stable_sort(out.begin(), out.end(), [](const Path &a, const Path &b) { return a.value > b.value; });
    if (out.size() > most) out.resize(most);
    return out;
}

bool is_of_waits(const Picture &picture) {
    IdleWaits waits(picture.frames);
    int64_t sum = 0;
    for (const Row &row : picture.profile.rows)
        if (waits.is_wait(row.frames)) sum += row.value;
    return sum > picture.profile.total / 2;
}

}  // namespace tapir::report
