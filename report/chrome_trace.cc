// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace events as Chrome and Perfetto show them: complete events ("X") in microseconds. Process 1 has the sums, a track
 * for each thread; its axis is the value, not time. Where samples have times, process 2 has them as they came.
 */
#include <algorithm>
#include <cmath>

#include "common/json.h"
#include "common/plain_text.h"
#include "report/call_tree.h"
#include "report/origin.h"
#include "report/owners.h"
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

class TraceEvents {
  public:
    explicit TraceEvents(const Picture &picture)
        : picture_(picture), scale_(scale_of(picture.profile)), owners_(owners_of(picture)) {}

    void name(const char *what, int pid, size_t tid, const std::string &text) {
        next();
        append(out_, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%zu,\"args\":{\"name\":", what, pid, tid);
        out_ += json_string(text) + "}}";
    }
    void slice(int pid, size_t tid, uint32_t frame, double start, double length, int64_t value) {
        const FrameText &text = picture_.frames[frame];
        next();
        append(out_, "{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%zu,\"ts\":%.3f,\"dur\":%.3f,\"name\":",
               owner_word(owners_[frame]), pid, tid, start, length);
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
    const std::vector<Owner> owners_;
    std::string out_;
};

Profile of_thread(const Profile &profile, size_t thread) {
    Profile out;
    for (const Row &row : profile.rows)
        if (row.thread == thread) out.rows.push_back(row);
    return out;
}

void TraceEvents::sums(size_t thread) {
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

// The slices of one thread by its samples, which come by their start, the longer of two first.
class Timeline {
  public:
    struct Slice {
        uint32_t frame;
        double start, end;  // microseconds
    };

    // A sample up to `slack` after an end follows without a gap. `nested`: a sample may lie within another one.
    Timeline(double slack, bool nested) : slack_(slack), nested_(nested) {}

    void add(std::span<const uint32_t> frames, double start, double end) {
        size_t next = 0, depth = 0;
        for (; depth < open_.size(); depth++) {
            Slice &slice = slices_[open_[depth]];
            const bool same = next < frames.size() && slice.frame == frames[next] && start <= slice.end + slack_;
            if (same) {
                slice.end = std::max(slice.end, end);
                next++;
            } else if (!nested_ || end > slice.end) {
                break;
            }
        }
        // A slice that reaches into the next one ends there: the clock is not exact.
        for (; open_.size() > depth; open_.pop_back())
            slices_[open_.back()].end = std::min(slices_[open_.back()].end, start);
        for (; next < frames.size(); next++) {
            open_.push_back(slices_.size());
            slices_.push_back({frames[next], start, end});
        }
    }
    // The slices by their start, outer ones first.
    const std::vector<Slice> &slices() const { return slices_; }

  private:
    const double slack_;
    const bool nested_;
    std::vector<Slice> slices_;
    std::vector<size_t> open_;  // of slices_, the outermost first; none ends after one before it
};

// Samples of a clock last until the next tick; a time that was measured ends with its sample, and may have others in
// it. A sample that follows without a gap goes on in the outer frames that both have.
void TraceEvents::timeline(size_t thread) {
    const Profile &profile = picture_.profile;
    const bool measured = is_time(profile);
    // In whole nanoseconds, as all that is written: what nests still does when it is read.
    const double tick = profile.meta.hz ? std::round(1e9 / static_cast<double>(profile.meta.hz)) * 1e-3 : 1;
    struct Span {
        const Row *row;
        double start, end;
    };
    std::vector<Span> spans;
    for (const Row &row : profile.rows) {
        if (row.thread != thread || !row.time) continue;
        const double time = static_cast<double>(row.time) * 1e-3;
        if (measured)
            spans.push_back({&row, std::max(time - static_cast<double>(row.value) * scale_, 0.0), time});
        else
            spans.push_back({&row, time, time + tick});
    }
    std::stable_sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
        return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    Timeline line(tick / 2, measured);
    for (const Span &span : spans)
        line.add(span.row->frames, span.start, span.end);
    for (const Timeline::Slice &slice : line.slices())
        this->slice(2, thread + 1, slice.frame, slice.start, slice.end - slice.start, 0);
}

}  // namespace

std::string render_chrome(const Picture &picture) {
    const Profile &profile = picture.profile;
    TraceEvents events(picture);
    const std::string heading = heading_of(origin_of(picture));
    events.name("process_name", 1, 0, heading + " (" + profile.unit + ", sums)");
    if (profile.timed) events.name("process_name", 2, 0, heading + " (as it came)");
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
    for (const std::string &line : origin_lines(picture))
        out += format(",\"origin %zu\":", number++) + json_string(line);
    number = 1;
    for (const std::string &line : quality_lines(profile))
        out += format(",\"quality %zu\":", number++) + json_string(line);
    return out + "},\"traceEvents\":[" + events.text() + "\n]}\n";
}

}  // namespace tapir::report
