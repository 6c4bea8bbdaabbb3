// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tapir/unwind.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "capture/capture_writer.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "field.h"
#include "kernel_functions.h"
#include "privileges.h"

namespace tapir::staprun {

namespace {

constexpr size_t kBulkBytes = 1 << 20;
constexpr size_t kMostSymbols = 256u << 20;

uint64_t now_ns() {
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// All that there is, block by block. 0 or errno.
int read_all(Control &control, uint32_t what, const std::function<void(std::string_view)> &take) {
    std::vector<char> room(kBulkBytes);
    tapir_ioc_bulk bulk = {};
    do {
        bulk.what = what;
        bulk.buffer = reinterpret_cast<uintptr_t>(room.data());
        bulk.length = static_cast<u32>(room.size());
        if (int error = control.bulk(bulk)) return error;
        take({room.data(), bulk.filled});
    } while (bulk.at);
    return 0;
}

// A structure at the beginning of a block of records, which loses it.
template <typename T>
bool take(std::string_view &block, T &out) {
    if (block.size() < sizeof out) return false;
    memcpy(&out, block.data(), sizeof out);
    block.remove_prefix(sizeof out);
    return true;
}

class Names {
  public:
    Names(capture::Writer &writer, const UserTables *tables, MadeCode &made, const StartedNames &started,
          KernelPlaces places)
        : writer_(writer), tables_(tables), made_(made), started_(started), places_(places) {}

    // The frame of this number in a stack.
    capture::Frame frame(uint64_t word, unsigned number, const tapir_bulk_stack &stack) {
        capture::Frame frame;
        if (tapir_frame_in_kernel(word)) {
            frame.kind = capture::FrameKind::Kernel;
            frame.place = kernel_place(word);
            frame.flags = number ? capture::kFrameCalled : 0;
            if (seen(word, frame.flags)) kernel_.push_back({frame, word});
        } else if (tapir_frame_in_object(word)) {
            frame.kind = capture::FrameKind::File;
            frame.object = tapir_frame_object(word);
            frame.place = static_cast<u32>(word);
            frame.flags = word & TAPIR_FRAME_CALLED ? capture::kFrameCalled : 0;
            if (seen(word & ~TAPIR_FRAME_NO_TABLE, frame.flags)) name(frame);
        } else {
            frame.kind = capture::FrameKind::Memory;
            frame.object = stack.process;
            frame.place = word;
            frame.flags = number > stack.kernel_frames ? capture::kFrameCalled : 0;
            if (made_seen_.insert({stack.process, word, frame.flags}).second) name_made(frame, stack);
        }
        return frame;
    }

    // Names all frames of the kernel, in one pass over its symbols.
    void name_kernel(int symbols) {
        std::vector<uint64_t> addresses;
        for (const auto &[frame, address] : kernel_)
            addresses.push_back(address - (frame.flags & capture::kFrameCalled));
        std::string text;
        // Addresses stay without names if the symbols cannot be read.
        if (addresses.empty() || symbols < 0 || read_descriptor(symbols, kMostSymbols, text)) return;
        const std::vector<KernelFunction> functions = kernel_functions(addresses, text);
        const bool tell = places_ == KernelPlaces::Addresses;
        for (size_t i = 0; i < kernel_.size(); i++)
            if (!functions[i].name.empty())
                writer_.name(kernel_[i].frame,
                             {capture::Function{functions[i].name, "", 0, tell ? functions[i].start : 0}});
    }

  private:
    struct KernelFrame {
        capture::Frame frame;  // as it is written
        uint64_t address;
    };

    // Neither the distance of two places nor their order may be told with numbers.
    uint64_t kernel_place(uint64_t address) {
        if (places_ == KernelPlaces::Addresses) return address;
        return numbers_.try_emplace(address, numbers_.size() + 1).first->second;
    }
    bool seen(uint64_t word, uint8_t flags) { return seen_.insert({word, flags}).second; }

    void name(const capture::Frame &frame) {
        const UserObject *object = tables_ ? tables_->object(frame.object) : nullptr;
        if (!object) return;
        if (objects_.insert(frame.object).second)
            writer_.object({frame.object, object->path, object->build_id, object->bias,
                            started_name(started_, object->path), object->interpreter});
        const u32 place = static_cast<u32>(frame.place) - (frame.flags & capture::kFrameCalled);
        uint32_t start = 0;
        std::string name = object->function_at(place, start);
        // A signal handler returns to the beginning of a function that did not call it.
        if (name.empty() && (frame.flags & capture::kFrameCalled)) name = object->function_at(place + 1, start);
        std::vector<capture::Function> functions;
        if (!name.empty()) functions.push_back({name, "", 0, start});
        const std::string_view builtin = object->builtin_at(place);
        if (!name.empty() || !builtin.empty()) writer_.name(frame, functions, builtin);
    }

    void name_made(const capture::Frame &frame, const tapir_bulk_stack &stack) {
        const uint64_t place = frame.place - (frame.flags & capture::kFrameCalled);
        const std::string name = made_.name({stack.process, stack.own, stack.space, stack.owner}, place);
        if (!name.empty()) writer_.name(frame, {capture::Function{name, "", 0, 0}});
    }

    capture::Writer &writer_;
    const UserTables *tables_;
    MadeCode &made_;
    const StartedNames &started_;
    std::set<std::pair<uint64_t, uint8_t>> seen_;
    std::set<std::tuple<uint32_t, uint64_t, uint8_t>> made_seen_;
    std::set<uint32_t> objects_;
    const KernelPlaces places_;
    std::unordered_map<uint64_t, uint64_t> numbers_;
    std::vector<KernelFrame> kernel_;
};

void write_stacks(std::string_view block, capture::Writer &writer, Names &names) {
    tapir_bulk_stack head = {};
    while (take(block, head)) {
        capture::Stack stack;
        stack.id = head.number;
        stack.kernel = static_cast<capture::End>(head.kernel_end);
        stack.user = static_cast<capture::End>(head.user_end);
        u64 word = 0;
        for (u16 i = 0; i < head.frames && take(block, word); i++)
            stack.frames.push_back(names.frame(word, i, head));
        writer.stack(stack);
    }
}

// The text behind a row, which the block loses.
std::string take_label(std::string_view &block, uint32_t bytes) {
    std::string label(block.substr(0, bytes));
    block.remove_prefix(std::min<size_t>((bytes + 7) & ~size_t{7}, block.size()));
    return label;
}

// Sums, and what of them was sampled with its time.
class Samples {
  public:
    Samples(capture::Writer &writer, uint64_t started) : writer_(writer), started_(started) {}

    void times(std::string_view block) {
        tapir_bulk_time head = {};
        while (take(block, head)) {
            const std::string label = take_label(block, head.label_bytes);
            Sum &sum = timed_[{head.stack, head.waker, head.frames, label}];
            sum.count++;
            sum.value += head.value;
            capture::Sample sample;
            sample.stack = head.stack;
            sample.waker = head.waker;
            sample.count = 1;
            sample.sum = head.value;
            const auto since = static_cast<uint64_t>(head.time) - started_;
            // A sample from before the start has no time: the clock was set back.
            sample.time = static_cast<int64_t>(since) > 0 ? since : 0;
            sample.labels = {{"pid", "", head.pid}, {"tid", "", head.tid}, {"cpu", "", head.cpu}};
            if (const std::string comm = field(head.comm); !comm.empty()) sample.labels.push_back({"comm", comm, 0});
            write(sample, label, head.frames);
        }
    }
    void sums(std::string_view block) {
        tapir_bulk_sample head = {};
        while (take(block, head)) {
            const std::string label = take_label(block, head.label_bytes);
            capture::Sample sample;
            sample.stack = head.stack;
            sample.waker = head.waker;
            sample.count = head.count;
            sample.sum = head.sum;
            if (head.overflow) {
                overflowed_ += head.count;
                continue;
            }
            if (const auto found = timed_.find({head.stack, head.waker, head.frames, label}); found != timed_.end()) {
                sample.count -= std::min(sample.count, found->second.count);
                sample.sum -= found->second.value;
            }
            if (sample.count) write(sample, label, head.frames);
        }
    }

    uint64_t count() const { return count_; }
    // The number of sums that did not fit into 64 bits.
    uint64_t overflowed() const { return overflowed_; }

  private:
    struct Sum {
        uint64_t count = 0;
        int64_t value = 0;
    };

    void write(capture::Sample &sample, const std::string &label, bool frames) {
        if (!label.empty()) sample.labels.push_back({frames ? "frames" : "label", label, 0});
        writer_.sample(sample);
        count_ += sample.count;
    }

    capture::Writer &writer_;
    uint64_t started_;
    uint64_t count_ = 0, overflowed_ = 0;
    std::map<std::tuple<uint64_t, uint64_t, uint32_t, std::string>, Sum> timed_;
};

// Tells by the probed points which clock took the samples: "soft", "pmu", "probe".
void describe_clock(const Ledger &ledger, capture::Meta &meta) {
    meta.clock = "probe";
    for (const tapir_ioc_probe &probe : ledger.probes()) {
        const std::string point = field(probe.point);
        if (point.compare(0, 5, "perf.") == 0) meta.clock = "pmu";
        if (point.compare(0, 13, "timer.profile") != 0) continue;
        meta.clock = "soft";
        const size_t hz = point.find(".hz(");
        if (hz != std::string::npos) meta.hz = strtoull(point.c_str() + hz + 4, nullptr, 10);
    }
}

void write_losses(const Ledger &ledger, capture::Writer &writer) {
    static const char *const kReasons[TAPIR_SKIPS] = {"reentry", "lock", "stack", "state", "budget"};
    for (const tapir_ioc_probe &probe : ledger.probes()) {
        capture::ProbeLedger row = {field(probe.point), probe.hits + probe.missed, {}};
        for (unsigned i = 0; i < TAPIR_SKIPS; i++)
            if (probe.skipped[i] && i != TAPIR_SKIP_STATE && i != TAPIR_SKIP_BUDGET)
                row.skipped.push_back({kReasons[i], probe.skipped[i]});
        if (probe.missed) row.skipped.push_back({"missed", probe.missed});
        writer.probe(row);
    }
    if (ledger.records_dropped()) writer.loss({capture::Loss::Output, ledger.records_dropped()});
    if (ledger.refused_stacks()) writer.loss({capture::Loss::StackTable, ledger.refused_stacks()});
    if (ledger.lost_samples()) writer.loss({capture::Loss::Array, ledger.lost_samples()});
}

// The facts that are known when the session begins.
capture::Meta machine_meta(uint64_t started) {
    capture::Meta meta;
    utsname names = {};
    uname(&names);
    meta.version = TAPIR_VERSION;
    meta.kernel = names.release;
    meta.host = names.nodename;
    meta.machine = names.machine;
    meta.started = started;
    meta.cpus = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
    const auto seconds = static_cast<time_t>(started / 1000000000);
    tm local = {};
    if (localtime_r(&seconds, &local)) meta.zone = local.tm_gmtoff;
    return meta;
}

capture::Meta session_meta(const std::string &script, uint64_t started) {
    capture::Meta meta = machine_meta(started);
    meta.script = script;
    meta.duration = now_ns() - started;
    return meta;
}

}  // namespace

Recording::~Recording() {
    if (descriptor_ >= 0 && !sealed_) discard();
    if (descriptor_ >= 0) close(descriptor_);
    if (symbols_ >= 0) close(symbols_);
}

Outcome<void> Recording::open(const std::string &path, KernelPlaces places, const char *symbols) {
    path_ = path;
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
        return Fault{FaultTag::FileUnwritable,
                     format("Couldn't write capture '%s': %s", path.c_str(), strerror(errno))};
    begin(places, symbols);
    return {};
}

Outcome<void> Recording::open_in_memory(KernelPlaces places) {
    path_ = "memory";
    descriptor_ = memfd_create("capture", MFD_CLOEXEC);
    if (descriptor_ < 0)
        return Fault{FaultTag::FileUnwritable, format("Couldn't keep a capture in memory: %s", strerror(errno))};
    begin(places, kSymbols);
    return {};
}

void Recording::begin(KernelPlaces places, const char *symbols) {
    places_ = places;
    started_ = now_ns();
    writer_ = std::make_unique<capture::Writer>(capture::to_descriptor(descriptor_));
    capture::Meta meta = machine_meta(started_);
    meta.command = origin_.command;
    meta.target = origin_.target;
    meta.program = origin_.program;
    meta.pid = origin_.pid;
    writer_->meta(meta);
    writer_->flush();
    const Right right(Need::Symbols);
    symbols_ = ::open(symbols, O_RDONLY | O_CLOEXEC);
}

void Recording::discard() {
    struct stat mine = {}, named = {};
    const bool has_name = fstat(descriptor_, &mine) == 0 && S_ISREG(mine.st_mode) &&
                          lstat(path_.c_str(), &named) == 0 && named.st_dev == mine.st_dev &&
                          named.st_ino == mine.st_ino;
    if (has_name) unlink(path_.c_str());
    close(descriptor_);
    descriptor_ = -1;
}

Outcome<void> Recording::write(Control &control, const Ledger &ledger, const UserTables *tables,
                               const std::string &script, const std::string &how, MadeCode made,
                               const StartedNames &started) {
    tapir_ioc_profile profile = {};
    const int error = control.profile(profile);
    if (error == EBUSY) {
        discard();
        return Fault{FaultTag::ControlFailed, "the session was left before it had ended: its samples are lost"};
    }
    if (error && error != ENOTTY)
        return Fault{FaultTag::ControlFailed, format("cannot read the profile from the module: %s", strerror(error))};
    has_profile_ = !error;
    capture::Writer &writer = *writer_;
    capture::Meta meta = session_meta(script, started_);
    meta.title = field(profile.title);
    meta.unit = field(profile.unit);
    describe_clock(ledger, meta);
    writer.meta(meta);
    if (!error) {
        if (tables)
            for (const unwind::Interpreter &interpreter : tables->interpreters())
                writer.interpreter({static_cast<uint32_t>(&interpreter - tables->interpreters().data()) + 1,
                                    interpreter.name, interpreter.loop});
        Names names(writer, tables, made, started, places_);
        capture::Stack full;
        full.id = 1;
        full.user = capture::End::TableFull;
        writer.stack(full);
        int failed =
            read_all(control, TAPIR_BULK_STACKS, [&](std::string_view block) { write_stacks(block, writer, names); });
        Samples samples(writer, started_);
        if (!failed)
            failed = read_all(control, TAPIR_BULK_TIMES, [&](std::string_view block) { samples.times(block); });
        if (!failed)
            failed = read_all(control, TAPIR_BULK_SAMPLES, [&](std::string_view block) { samples.sums(block); });
        if (failed)
            return Fault{FaultTag::ControlFailed,
                         format("cannot read the samples from the module: %s", strerror(failed))};
        names.name_kernel(symbols_);
        samples_ = samples.count();
        if (samples.overflowed()) writer.loss({capture::Loss::Overflow, samples.overflowed()});
        for (const std::string &refusal : made.refusals())
            writer.message(capture::Severity::Warning, "names of code that is in no file: " + refusal);
    }
    write_losses(ledger, writer);
    sealed_ = true;
    return writer.finish(how);
}

}  // namespace tapir::staprun
