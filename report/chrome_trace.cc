// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace events as Chrome and Perfetto show them: complete events ("X") in microseconds. Process 1 has the sums, a track
 * for each thread; its axis is the value, not time. Where samples have times, process 2 has them as they came.
 */
#include <algorithm>

#include "common/json.h"
#include "common/plain_text.h"
#include "report/call_tree.h"
#include "report/picture.h"

namespace tapir::report {

namespace {

// Microseconds that a unit of the value is drawn as.
double scale_of(const Profile &profile) {
    if (profile.unit == "nanoseconds") return 1e-3;
    if (profile.unit == "milliseconds") return 1e3;
    if (profile.unit == "seconds") return 1e6;
    return 1;
}

bool is_time(const Profile &profile) {
    return profile.unit.ends_with("seconds");
}

class Events {
  public:
    explicit Events(const Picture &picture) : picture_(picture), scale_(scale_of(picture.profile)) {}

    void name(const char *what, int pid, size_t tid, const std::string &text) {
        next();
        append(out_, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%zu,\"args\":{\"name\":", what, pid, tid);
        out_ += json_string(text) + "}}";
    }
    void slice(int pid, size_t tid, uint32_t frame, double start, double length, int64_t value) {
        const FrameText &text = picture_.frames[frame];
        next();
        append(out_, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%zu,\"ts\":%.3f,\"dur\":%.3f,\"name\":", pid, tid, start,
               length);
        out_ += json_string(text.name);
        if (value) append(out_, ",\"args\":{\"value\":%lld", static_cast<long long>(value));
        if (value && !text.object.empty()) out_ += ",\"object\":" + json_string(text.object);
        out_ += value ? "}}" : "}";
    }
    void sums(size_t thread);
    void timeline(size_t thread);
    const std::string &text() const { return out_; }

  private:
    void next() { out_ += out_.empty() ? "\n" : ",\n"; }

    const Picture &picture_;
    const double scale_;
    std::string out_;
};

Profile of_thread(const Profile &profile, size_t thread) {
    Profile out;
    for (const Row &row : profile.rows)
        if (row.thread == thread) out.rows.push_back(row);
    return out;
}

void Events::sums(size_t thread) {
    const CallTree tree = make_tree(of_thread(picture_.profile, thread), nullptr, picture_.frames);
    std::vector<int64_t> free(tree.nodes.size());  // where a node's next child begins
    for (size_t i = 1; i < tree.nodes.size(); i++) {
        const TreeNode &node = tree.nodes[i];
        const int64_t start = free[node.parent];
        free[node.parent] += node.total;
        free[i] = start;
        slice(1, thread + 1, node.frame, static_cast<double>(start) * scale_, static_cast<double>(node.total) * scale_,
              node.total);
    }
}

// Samples of a clock last until the next tick; a time that was measured ends with its sample. What follows without a
// gap with the same outer frames goes on in these.
void Events::timeline(size_t thread) {
    const Profile &profile = picture_.profile;
    Profile part = of_thread(profile, thread);
    std::sort(part.rows.begin(), part.rows.end(), [](const Row &a, const Row &b) { return a.time < b.time; });
    const double tick = profile.meta.hz ? 1e6 / static_cast<double>(profile.meta.hz) : 1;
    struct Open {
        uint32_t frame;
        double start;
    };
    std::vector<Open> open;
    double end = 0;
    const auto close = [&](size_t depth) {
        for (; open.size() > depth; open.pop_back())
            slice(2, thread + 1, open.back().frame, open.back().start, end - open.back().start, 0);
    };
    for (const Row &row : part.rows) {
        if (!row.time) continue;
        const double length = is_time(profile) ? static_cast<double>(row.value) * scale_ : tick;
        double start = static_cast<double>(row.time) * 1e-3;
        if (is_time(profile)) start = std::max(start - length, 0.0);
        size_t same = 0;
        if (start <= end + tick / 2)
            while (same < open.size() && same < row.frames.size() && open[same].frame == row.frames[same])
                same++;
        // What runs into the next one, by a clock that is not exact, is cut there.
        if (start < end) end = start;
        close(same);
        for (size_t i = same; i < row.frames.size(); i++)
            open.push_back({row.frames[i], start});
        end = start + length;
    }
    close(0);
}

}  // namespace

std::string render_chrome(const Picture &picture) {
    const Profile &profile = picture.profile;
    Events events(picture);
    events.name("process_name", 1, 0, profile.title + " (" + profile.unit + ", sums)");
    if (profile.timed) events.name("process_name", 2, 0, profile.title + " (as it came)");
    for (size_t thread = 0; thread < profile.threads.size(); thread++) {
        events.name("thread_name", 1, thread + 1, profile.threads[thread].text());
        events.sums(thread);
        if (!profile.timed) continue;
        events.name("thread_name", 2, thread + 1, profile.threads[thread].text());
        events.timeline(thread);
    }
    std::string out = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made by\":\"stap-report\",\"title\":" +
                      json_string(profile.title) + ",\"unit\":" + json_string(profile.unit);
    size_t number = 1;
    for (const std::string &line : quality_lines(profile))
        out += format(",\"quality %zu\":", number++) + json_string(line);
    return out + "},\"traceEvents\":[" + events.text() + "\n]}\n";
}

}  // namespace tapir::report
