// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample_records.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "common/demangle.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

void put_text(tapir_json *json, const char *name, std::string_view text) {
    tapir_json_member(json, name);
    tapir_json_string(json, text.data(), text.size());
}

class SampleRecords {
  public:
    SampleRecords(ModuleStream &session, const capture::Capture &capture, KernelPlaces places, bool mangled)
        : session_(session), capture_(capture), places_(places), mangled_(mangled) {}

    void add();

  private:
    void add_profile();
    void add_stack(uint64_t id);
    void add_sample(const capture::Sample &sample);
    void put_frame(tapir_json *json, const capture::Frame &frame) const;
    void put_name(tapir_json *json, const capture::Frame &frame) const;

    ModuleStream &session_;
    const capture::Capture &capture_;
    const KernelPlaces places_;
    const bool mangled_;
    std::set<uint64_t> told_;  // stacks
};

void SampleRecords::add_profile() {
    session_.add_record("profile", [this](tapir_json *json) {
        const capture::Meta &meta = capture_.meta;
        put_text(json, "title", meta.title);
        put_text(json, "unit", meta.unit);
        put_text(json, "clock", meta.clock);
        if (meta.hz) tapir_json_unsigned_member(json, "hz", meta.hz);
        uint64_t samples = 0;
        for (const capture::Sample &sample : capture_.samples)
            samples += sample.count;
        tapir_json_unsigned_member(json, "samples", samples);
        if (const uint64_t lost = capture_.losses[static_cast<size_t>(capture::Loss::Overflow)])
            tapir_json_unsigned_member(json, "overflowed", lost);
    });
}

void SampleRecords::put_name(tapir_json *json, const capture::Frame &frame) const {
    const auto found = capture_.names.find(capture::key_of(frame));
    if (found == capture_.names.end()) return;
    const std::string &name = found->second.front().name;
    const std::string readable = mangled_ ? "" : demangle(name);
    put_text(json, "name", readable.empty() ? name : readable);
}

// Begins with a member that every frame has.
void SampleRecords::put_frame(tapir_json *json, const capture::Frame &frame) const {
    static const char *const kKinds[] = {"file", "kernel", "memory", "text"};
    tapir_json_puts(json, format("{\"in\":\"%s\"", kKinds[static_cast<size_t>(frame.kind)]).c_str());
    put_name(json, frame);
    switch (frame.kind) {
        case capture::FrameKind::File:
            if (const auto object = capture_.objects.find(frame.object); object != capture_.objects.end()) {
                put_text(json, "object", object->second.path);
                if (!object->second.build_id.empty()) put_text(json, "build_id", object->second.build_id);
            }
            tapir_json_unsigned_member(json, "offset", frame.place);
            break;
        case capture::FrameKind::Kernel:
            if (places_ == KernelPlaces::Addresses) tapir_json_unsigned_member(json, "address", frame.place);
            break;
        case capture::FrameKind::Memory:
            tapir_json_unsigned_member(json, "pid", frame.object);
            tapir_json_unsigned_member(json, "address", frame.place);
            break;
        case capture::FrameKind::Text:
            put_text(json, "text", frame.text);
            break;
    }
    if (frame.flags & capture::kFrameCalled) {
        tapir_json_member(json, "returns");
        tapir_json_puts(json, "true");
    }
    tapir_json_puts(json, "}");
}

// Once, in front of the first sample that refers to it.
void SampleRecords::add_stack(uint64_t id) {
    const auto found = capture_.stack_by_id.find(id);
    if (id == capture::kNoStack || found == capture_.stack_by_id.end() || !told_.insert(id).second) return;
    const capture::Stack &stack = capture_.stacks[found->second];
    session_.add_record("stack", [&](tapir_json *json) {
        tapir_json_unsigned_member(json, "stack", stack.id);
        if (stack.kernel != capture::End::None) put_text(json, "kernel_end", end_text(stack.kernel));
        if (stack.user != capture::End::None) put_text(json, "user_end", end_text(stack.user));
        tapir_json_member(json, "frames");
        const char *comma = "[";
        for (const capture::Frame &frame : stack.frames) {
            tapir_json_puts(json, std::exchange(comma, ","));
            put_frame(json, frame);
        }
        tapir_json_puts(json, stack.frames.empty() ? "[]" : "]");
    });
}

void SampleRecords::add_sample(const capture::Sample &sample) {
    session_.add_record("sample", [&](tapir_json *json) {
        if (sample.stack != capture::kNoStack) tapir_json_unsigned_member(json, "stack", sample.stack);
        if (sample.waker) tapir_json_unsigned_member(json, "waker", sample.waker);
        tapir_json_unsigned_member(json, "count", sample.count);
        tapir_json_number_member(json, "sum", sample.sum);
        if (sample.time) tapir_json_unsigned_member(json, "time", capture_.meta.started + sample.time);
        for (const capture::Label &label : sample.labels) {
            // "cpu" is where the record itself was made.
            const char *name = label.key == "cpu" ? "at_cpu" : label.key.c_str();
            if (label.text.empty())
                tapir_json_number_member(json, name, label.number);
            else
                put_text(json, name, label.text);
        }
    });
}

void SampleRecords::add() {
    add_profile();
    for (const capture::Sample &sample : capture_.samples) {
        add_stack(sample.stack);
        add_stack(sample.waker);
        add_sample(sample);
    }
}

}  // namespace

void add_samples(ModuleStream &session, const capture::Capture &capture, KernelPlaces places, bool mangled) {
    SampleRecords(session, capture, places, mangled).add();
}

Outcome<void> add_samples(ModuleStream &session, const Recording &recording, bool mangled) {
    if (!recording.has_profile()) return {};
    if (lseek(recording.descriptor(), 0, SEEK_SET) != 0)
        return Fault{FaultTag::FileUnreadable,
                     format("the samples cannot be read again for records: %s", strerror(errno))};
    const Outcome<capture::Capture> capture = capture::read_capture(recording.descriptor());
    if (!capture) return capture.fault();
    if (!capture->damage.empty())
        return Fault{FaultTag::FileUnreadable, "records lack samples: of the capture of these, " + capture->damage};
    add_samples(session, *capture, recording.places(), mangled);
    return {};
}

}  // namespace tapir::staprun
