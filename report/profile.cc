// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/demangle.h"
#include "common/quoting.h"
#include "report/guest_frames.h"
#include "report/idle_waits.h"
#include "report/shortfall.h"

namespace tapir::report {

namespace {

constexpr size_t kNameBytes = 1024;
// The most that a whole picture may add up to: a larger one cannot be drawn in proportion.
constexpr int64_t kMostValue = INT64_MAX / 2;

__extension__ using Wide = __int128;

// Makes rows of samples.
class Builder {
  public:
    Builder(const capture::Capture &capture, const ProfileOptions &options, FrameTable &frames, Profile &out)
        : capture_(capture),
          options_(options),
          frames_(frames),
          out_(out),
          shortfall_(capture, frames),
          idle_(frames) {}

    void build();

  private:
    using Sampled = Shortfall::Sampled;

    // Innermost first.
    const std::vector<uint32_t> &named(const capture::Frame &frame);
    FrameText unnamed(const capture::Frame &frame) const;
    FrameText named_function(const capture::Frame &frame, const capture::Function &function) const;
    std::string object_name(const capture::Frame &frame) const;
    uint32_t mark(const std::string &text);
    // The stack's frames from the root on, with those of an interpreted language where they belong.
    void fill(const capture::Stack &stack, GuestFrames guest, std::vector<uint32_t> &boxes);
    // Does the frame belong to an interpreter, and to the loop of one?
    bool is_own(const capture::Frame &frame) const;
    bool is_loop(const capture::Frame &frame) const;
    void add_guest(const std::vector<std::string> &frames, std::vector<uint32_t> &inside_out);
    // The box of a native frame that is a function in C of the language. False: it is none.
    bool add_builtin(const capture::Frame &frame, std::vector<uint32_t> &inside_out);
    // The waker's, from its leaf on, so that its root is the tip.
    void add_waker(const capture::Stack &stack, std::vector<uint32_t> &boxes);
    uint32_t thread_of(const capture::Sample &sample);
    void add_labels(const capture::Sample &sample, Row &row, std::vector<uint32_t> &boxes);
    // Puts the frames from number `first` on below a mark, if they are an idle wait.
    void group_idle(uint32_t label, std::vector<uint32_t> &boxes, size_t first);
    const capture::Stack &stack_of(uint64_t id) const { return capture_.stacks[capture_.stack_by_id.at(id)]; }
    // Is it in the range of time that was asked for?
    bool is_wanted(const capture::Sample &sample);
    void add(const capture::Sample &sample, int64_t value);
    // Takes the negative values of a stack's name off its positive ones.
    void balance();
    // Without rows that have nothing to show; adds up the others.
    void add_up();

    const capture::Capture &capture_;
    const ProfileOptions &options_;
    FrameTable &frames_;
    Profile &out_;
    Shortfall shortfall_;
    IdleWaits idle_;
    std::map<capture::FrameKey, std::vector<uint32_t>> known_;
    std::unordered_map<std::string, std::vector<uint32_t>> texts_;
    std::unordered_map<std::string, uint32_t> threads_, labels_;
    std::map<std::vector<uint32_t>, uint32_t> stacks_;                 // numbers of those that have the same boxes
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, size_t> rows_;  // by stack, thread and time
    std::vector<Sampled> sampled_;                                     // of each row
    std::vector<uint32_t> numbers_;                                    // the same: its stack
};

std::string Builder::object_name(const capture::Frame &frame) const {
    switch (frame.kind) {
        case capture::FrameKind::File: {
            const auto found = capture_.objects.find(frame.object);
            if (found == capture_.objects.end()) return "";
            return clean(found->second.started.empty() ? found->second.path : found->second.started);
        }
        case capture::FrameKind::Kernel:
            return "kernel";
        case capture::FrameKind::Memory:
        case capture::FrameKind::Text:
            break;
    }
    return "";
}

// Places without names in one file are one frame: each offset for itself would say nothing.
FrameText Builder::unnamed(const capture::Frame &frame) const {
    FrameText text;
    text.resolved = false;
    text.object = object_name(frame);
    if (frame.kind == capture::FrameKind::Kernel) {
        text.name = "[kernel]";
        text.origin = Origin::Kernel;
    } else if (frame.kind == capture::FrameKind::Memory) {
        text.name = "[code in no file]";
    } else {
        text.name = "[" + (text.object.empty() ? "unknown file" : base_name(text.object)) + "]";
    }
    return text;
}

FrameText Builder::named_function(const capture::Frame &frame, const capture::Function &function) const {
    FrameText text;
    text.object = object_name(frame);
    text.file = clean(function.file);
    text.line = function.line;
    std::string name = function.name;
    if (frame.kind == capture::FrameKind::Kernel) {
        text.origin = Origin::Kernel;
        // "ext4_iget [ext4]"
        const size_t bracket = name.rfind(" [");
        if (bracket != std::string::npos && name.back() == ']') {
            text.object = clean(std::string_view(name).substr(bracket + 2, name.size() - bracket - 3));
            name.resize(bracket);
        }
    } else if (frame.kind == capture::FrameKind::Memory) {
        text.origin = Origin::Script;
    }
    if (!options_.mangled && is_mangled(name)) {
        const std::string source_name = demangle(name);
        if (!source_name.empty()) name = source_name;
    }
    text.name = clean(name);
    if (options_.lines && text.line && !text.file.empty())
        text.name += " (" + base_name(text.file) + ":" + std::to_string(text.line) + ")";
    return text;
}

const std::vector<uint32_t> &Builder::named(const capture::Frame &frame) {
    if (frame.kind == capture::FrameKind::Text) {
        const auto [at, fresh] = texts_.try_emplace(frame.text);
        if (fresh) {
            FrameText text;
            text.name = clean(frame.text);
            text.origin = Origin::Script;
            at->second.push_back(frames_.number(std::move(text)));
        }
        return at->second;
    }
    const capture::FrameKey key = capture::key_of(frame);
    const auto [at, fresh] = known_.try_emplace(key);
    std::vector<uint32_t> &out = at->second;
    if (!fresh) return out;
    const auto names = capture_.names.find(key);
    if (names != capture_.names.end())
        for (const capture::Function &function : names->second) {
            if (function.name.empty()) continue;
            FrameText text = named_function(frame, function);
            text.inlined = &function != &names->second.back();
            out.push_back(frames_.number(std::move(text)));
        }
    if (out.empty()) out.push_back(frames_.number(unnamed(frame)));
    return out;
}

uint32_t Builder::mark(const std::string &text) {
    FrameText frame;
    frame.name = text;
    frame.origin = Origin::Mark;
    return frames_.number(std::move(frame));
}

void Builder::add_guest(const std::vector<std::string> &frames, std::vector<uint32_t> &inside_out) {
    for (const std::string &frame : frames)
        inside_out.push_back(frames_.number(guest_frame_text(frame, options_.lines)));
}

bool Builder::add_builtin(const capture::Frame &frame, std::vector<uint32_t> &inside_out) {
    const auto builtin = capture_.builtins.find(capture::key_of(frame));
    if (builtin == capture_.builtins.end()) return false;
    FrameText text;
    text.name = clean(builtin->second);
    text.object = object_name(frame);
    text.origin = Origin::Script;
    inside_out.push_back(frames_.number(std::move(text)));
    return true;
}

bool Builder::is_own(const capture::Frame &frame) const {
    // An interpreter has compiled the code that is in no file.
    if (frame.kind != capture::FrameKind::File) return frame.kind == capture::FrameKind::Memory;
    const auto found = capture_.objects.find(frame.object);
    return found != capture_.objects.end() && found->second.interpreter;
}

bool Builder::is_loop(const capture::Frame &frame) const {
    const auto object = capture_.objects.find(frame.object);
    if (frame.kind != capture::FrameKind::File || object == capture_.objects.end()) return false;
    const auto interpreter = capture_.interpreters.find(object->second.interpreter);
    const auto names = capture_.names.find(capture::key_of(frame));
    return interpreter != capture_.interpreters.end() && names != capture_.names.end() &&
           std::any_of(names->second.begin(), names->second.end(), [&](const capture::Function &function) {
               return is_loop_of(interpreter->second, function.name);
           });
}

void Builder::fill(const capture::Stack &stack, GuestFrames guest, std::vector<uint32_t> &boxes) {
    std::vector<uint32_t> inside_out;
    bool in_kernel = true, met = false;
    const bool guests = !guest.done();
    const auto close_kernel = [&] {
        if (in_kernel && is_short(stack.kernel))
            inside_out.push_back(mark("[" + std::string(end_text(stack.kernel)) + "]"));
        in_kernel = false;
    };
    for (const capture::Frame &frame : stack.frames) {
        if (frame.kind != capture::FrameKind::Kernel) close_kernel();
        const bool own = guests && is_own(frame);
        if (own && is_loop(frame)) add_guest(guest.at_loop(), inside_out);
        const bool builtin = guests && !options_.native && add_builtin(frame, inside_out);
        if (!builtin && (!own || options_.native)) {
            const std::vector<uint32_t> &names = named(frame);
            inside_out.insert(inside_out.end(), names.begin(), names.end());
        }
        if (guests && options_.native) add_builtin(frame, inside_out);
        if (own && !met) add_guest(guest.at_innermost(), inside_out);
        met |= own;
    }
    close_kernel();
    add_guest(guest.rest(), inside_out);
    if (guest.cut()) inside_out.push_back(mark(kGuestCut));
    if (is_short(stack.user)) inside_out.push_back(mark("[" + std::string(end_text(stack.user)) + "]"));
    if (inside_out.empty()) inside_out.push_back(mark("[no stack]"));
    boxes.insert(boxes.end(), inside_out.rbegin(), inside_out.rend());
}

void Builder::add_waker(const capture::Stack &stack, std::vector<uint32_t> &boxes) {
    std::vector<uint32_t> waker;
    fill(stack, GuestFrames(""), waker);
    boxes.push_back(mark("--"));
    boxes.insert(boxes.end(), waker.rbegin(), waker.rend());
}

const capture::Label *find_label(const capture::Sample &sample, std::string_view key) {
    for (const capture::Label &label : sample.labels)
        if (label.key == key) return &label;
    return nullptr;
}

std::string label_text(const capture::Label &label) {
    return label.text.empty() ? std::to_string(label.number) : clean(label.text);
}

uint32_t Builder::thread_of(const capture::Sample &sample) {
    Thread thread;
    if (const capture::Label *pid = find_label(sample, "pid")) thread.pid = pid->number;
    if (const capture::Label *tid = find_label(sample, "tid")) thread.tid = tid->number;
    if (const capture::Label *comm = find_label(sample, "comm")) thread.comm = label_text(*comm);
    // A thread that changes its name stays what it is.
    const std::string key =
        std::to_string(thread.pid) + " " + std::to_string(thread.tid) + " " + (thread.tid ? "" : thread.comm);
    const auto [at, fresh] = threads_.try_emplace(key, static_cast<uint32_t>(out_.threads.size()));
    if (fresh) out_.threads.push_back(std::move(thread));
    return at->second;
}

void Builder::add_labels(const capture::Sample &sample, Row &row, std::vector<uint32_t> &boxes) {
    if (const capture::Label *label = find_label(sample, "label")) {
        const std::string text = label_text(*label);
        const auto [at, fresh] = labels_.try_emplace(text, static_cast<uint32_t>(out_.labels.size()));
        if (fresh) out_.labels.push_back(text);
        row.label = at->second;
        boxes.push_back(mark(text));
    }
    for (const std::string &key : options_.by) {
        const capture::Label *label = find_label(sample, key);
        const std::string value = label ? label_text(*label) : "not kept";
        boxes.push_back(mark(label && key == "comm" ? value : clean(key) + "=" + value));
    }
}

void Builder::group_idle(uint32_t number, std::vector<uint32_t> &boxes, size_t first) {
    // A clock meets a thread on a processor, or one that waits for it. tools/waiting/wallclock.stp has labels for both.
    const std::string &label = out_.labels[number];
    const bool clock = capture_.meta.clock == "soft" || capture_.meta.clock == "pmu";
    if ((clock && !number) || label == "running" || label == "runnable") return;
    const std::string kind = idle_.kind(boxes, first);
    if (kind.empty()) return;
    const std::vector<uint32_t> marks = {mark(kIdle), mark(kind)};
    boxes.insert(boxes.begin() + static_cast<std::ptrdiff_t>(first), marks.begin(), marks.end());
}

bool Builder::is_wanted(const capture::Sample &sample) {
    if (!options_.from || sample.time >= options_.from) return true;
    if (!sample.time) shortfall_.lose("samples whose time was not kept", "--times=MEGABYTES keeps more", sample.count);
    return false;
}

void Builder::add(const capture::Sample &sample, int64_t value) {
    Row row;
    row.count = sample.count;
    row.value = value;
    row.time = sample.time;
    row.thread = thread_of(sample);
    std::vector<uint32_t> boxes;
    add_labels(sample, row, boxes);
    const size_t first = boxes.size();
    const capture::Label *frames = find_label(sample, kFramesLabel);
    const GuestFrames guest(frames ? frames->text : "");
    const Sampled what{&stack_of(sample.stack), sample.waker ? &stack_of(sample.waker) : nullptr, guest.cut()};
    fill(*what.stack, guest, boxes);
    group_idle(row.label, boxes, first);
    if (what.waker) add_waker(*what.waker, boxes);
    // Samples of one stack and one thread are one row unless their times are known.
    const auto &[frames_kept, stack] =
        *out_.stacks.try_emplace(std::move(boxes), static_cast<uint32_t>(out_.stacks.size())).first;
    row.frames = frames_kept;
    const auto [at, fresh] = rows_.try_emplace({stack, row.thread, row.time}, out_.rows.size());
    if (fresh) {
        out_.rows.push_back(std::move(row));
        sampled_.push_back(what);
        numbers_.push_back(stack);
        return;
    }
    Row &known = out_.rows[at->second];
    int64_t sum = 0;
    if (__builtin_add_overflow(known.value, value, &sum) || sum > kMostValue) {
        return shortfall_.lose(std::string(loss_text(capture::Loss::Overflow)),
                               std::string(loss_hint(capture::Loss::Overflow)), sample.count);
    }
    known.value = sum;
    known.count += sample.count;
}

void Builder::balance() {
    struct Sum {
        Wide value = 0;
        uint64_t count = 0;
        bool below = false;
    };
    std::vector<Sum> sums(out_.stacks.size());
    for (size_t i = 0; i < out_.rows.size(); i++) {
        Sum &sum = sums[numbers_[i]];
        sum.value += out_.rows[i].value;
        sum.count += out_.rows[i].count;
        sum.below |= out_.rows[i].value <= 0;
    }
    for (const Sum &sum : sums) {
        if (sum.value > 0) continue;
        out_.quality.negative += sum.count;
        const auto value = static_cast<int64_t>(std::max<Wide>(sum.value, INT64_MIN));
        if (__builtin_add_overflow(out_.quality.negative_sum, value, &out_.quality.negative_sum))
            out_.quality.negative_sum = INT64_MIN;
    }
    // Rows above zero keep what is left of the sum, those that came first more than later ones.
    for (size_t i = 0; i < out_.rows.size(); i++) {
        Row &row = out_.rows[i];
        Sum &sum = sums[numbers_[i]];
        if (!sum.below) continue;
        row.value = static_cast<int64_t>(std::clamp<Wide>(sum.value, 0, std::max<int64_t>(row.value, 0)));
        sum.value -= row.value;
    }
}

void Builder::add_up() {
    size_t kept = 0;
    for (size_t i = 0; i < out_.rows.size(); i++) {
        Row &row = out_.rows[i];
        if (row.value > kMostValue - out_.total) {
            shortfall_.lose(std::string(loss_text(capture::Loss::Overflow)),
                            std::string(loss_hint(capture::Loss::Overflow)), row.count);
            continue;
        }
        shortfall_.add(sampled_[i], row.frames, row.count, row.value);
        if (row.value <= 0) continue;
        out_.total += row.value;
        out_.count += row.count;
        out_.timed |= row.time != 0;
        if (!row.time) out_.untimed += row.count;
        if (kept != i) out_.rows[kept] = std::move(row);
        kept++;
    }
    out_.rows.resize(kept);
    if (!out_.timed) out_.untimed = 0;
}

void Builder::build() {
    const bool by_sum = !options_.by_count && !capture_.meta.unit.empty();
    out_.counted = options_.by_count;
    out_.unit = by_sum ? clean(capture_.meta.unit) : "samples";
    for (const capture::Sample &sample : capture_.samples)
        if (is_wanted(sample))
            add(sample, by_sum ? sample.sum : static_cast<int64_t>(std::min<uint64_t>(sample.count, INT64_MAX)));
    balance();
    add_up();
    if (out_.threads.empty()) out_.threads.emplace_back();
    shortfall_.finish(out_.quality);
}

}  // namespace

std::string clean(std::string_view text) {
    std::string out;
    while (!text.empty() && out.size() < kNameBytes) {
        size_t length = printable_length(text);
        // U+FFFE and U+FFFF are no characters of XML: a picture with one of them cannot be read at all.
        const bool is_xml = text.substr(0, 3) != "\xef\xbf\xbe" && text.substr(0, 3) != "\xef\xbf\xbf";
        if (length && is_xml && text[0] != '\t') {
            out += text.substr(0, length);
        } else {
            length = is_xml ? 1 : 3;
            out += "\xef\xbf\xbd";
        }
        text.remove_prefix(length);
    }
    if (!text.empty()) out += "...";
    return out;
}

std::string base_name(const std::string &path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::string Thread::text() const {
    std::string out = comm;
    if (pid && pid != tid) out += (out.empty() ? "" : " ") + std::to_string(pid);
    if (tid) out += (out.empty() ? "" : pid && pid != tid ? "/" : " ") + std::to_string(tid);
    return out.empty() ? "all threads" : out;
}

uint32_t FrameTable::number(FrameText frame) {
    std::string key = frame.name;
    key += '\0';
    key += frame.object;
    key += static_cast<char>('0' + static_cast<int>(frame.origin));
    key += frame.resolved ? 'r' : 'u';
    const auto [at, fresh] = numbers_.try_emplace(std::move(key), static_cast<uint32_t>(frames_.size()));
    if (fresh) {
        frames_.push_back(std::move(frame));
    } else {
        FrameText &known = frames_[at->second];
        if (known.file.empty() && !frame.file.empty()) {
            known.file = std::move(frame.file);
            known.line = frame.line;
        } else if (frame.line && frame.line < known.line && frame.file == known.file) {
            known.line = frame.line;
        }
        known.inlined &= frame.inlined;
    }
    return at->second;
}

Profile make_profile(const capture::Capture &capture, const ProfileOptions &options, FrameTable &frames) {
    Profile out;
    out.meta = capture.meta;
    out.own = options.own;
    out.match = options.match;
    out.min_quality = options.min_quality;
    out.from = options.from;
    out.samples = !capture.samples.empty() || !capture.meta.title.empty() || !capture.meta.unit.empty();
    for (const capture::ProbeLedger &probe : capture.probes)
        if (__builtin_add_overflow(out.hits, probe.hits, &out.hits)) out.hits = UINT64_MAX;
    out.title = clean(!options.title.empty() ? options.title : capture.meta.title);
    if (out.title.empty()) out.title = "Stacks";
    // The title names what is summed up, not that samples are counted.
    if (options.by_count && options.title.empty()) out.title += " (number of samples)";
    for (const capture::Message &message : capture.messages)
        out.notes.push_back((message.severity == capture::Severity::Error ? "error: " : "warning: ") +
                            clean(message.text));
    if (capture.how.empty()) out.quality.damage = capture.damage.empty() ? "it has no end" : capture.damage;
    Builder(capture, options, frames, out).build();
    return out;
}

}  // namespace tapir::report
