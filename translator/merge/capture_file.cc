// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/capture_file.h"

#include <algorithm>
#include <array>
#include <map>

#include "capture/capture_writer.h"

namespace tapir::merge {
namespace {

// The end that a record names; what this program does not know counts as cut.
capture::End end_of(const std::string &text) {
    if (text.empty()) return capture::End::None;
    for (uint8_t i = 0; i < static_cast<uint8_t>(capture::End::Count); ++i)
        if (end_text(static_cast<capture::End>(i)) == text) return static_cast<capture::End>(i);
    return capture::End::Cut;
}

class CaptureFile {
  public:
    CaptureFile(const Merge &merge, int fd) : merge_(merge), writer_(capture::to_descriptor(fd)) {}

    Outcome<void> write(const std::string &command);

  private:
    capture::Frame frame_of(uint32_t index);
    void write_quality();

    const Merge &merge_;
    capture::Writer writer_;
    std::map<std::string, uint32_t> objects_;
    std::vector<bool> named_ = {};
};

// Code of the kernel has a number in place of an address: addresses are others on each host.
capture::Frame CaptureFile::frame_of(uint32_t index) {
    const MergedFrame &merged = merge_.samples().frames()[index];
    capture::Frame frame;
    frame.flags = merged.returns ? capture::kFrameCalled : 0;
    if (merged.in == "text") {
        frame.kind = capture::FrameKind::Text;
        frame.text = merged.text;
        return frame;
    }
    frame.kind = merged.in == "kernel" ? capture::FrameKind::Kernel : capture::FrameKind::File;
    frame.place = merged.in == "kernel" ? index + 1 : merged.offset;
    if (frame.kind == capture::FrameKind::File) {
        const std::string key = merged.build_id + "\n" + merged.object;
        const auto [object, is_new] = objects_.emplace(key, objects_.size() + 1);
        frame.object = object->second;
        if (is_new) writer_.object({object->second, merged.object, merged.build_id, 0});
    }
    if (named_[index] || merged.name.empty()) return frame;
    named_[index] = true;
    writer_.name(frame, {{merged.name, "", 0, 0}});
    return frame;
}

void CaptureFile::write_quality() {
    const Hosts &hosts = merge_.hosts();
    const auto number = [&](const char *name) {
        const auto at = std::find_if(std::begin(kQualities), std::end(kQualities),
                                     [&](const char *one) { return std::string_view(one) == name; });
        return static_cast<uint64_t>(clipped(hosts.quality(static_cast<size_t>(at - std::begin(kQualities)))));
    };
    writer_.probe({"all hosts", number("hits"), {{"lost", number("lost_hits")}}});
    writer_.loss({capture::Loss::Output, number("lost_records")});
    writer_.loss({capture::Loss::StackTable, number("refused_stacks")});
    writer_.loss({capture::Loss::Array, number("lost_samples")});
    writer_.loss({capture::Loss::Overflow, static_cast<uint64_t>(clipped(merge_.samples().overflowed()))});
}

Outcome<void> CaptureFile::write(const std::string &command) {
    const Samples &samples = merge_.samples();
    capture::Meta meta;
    meta.version = merge_.tapir();
    meta.host = std::to_string(merge_.hosts().size()) + " hosts";
    meta.title = samples.title();
    meta.unit = samples.unit();
    meta.clock = samples.clock();
    meta.hz = samples.hz();
    meta.command = command;
    writer_.meta(meta);
    named_.resize(samples.frames().size());
    for (size_t i = 0; i < samples.stacks().size(); ++i) {
        const MergedStack &merged = samples.stacks()[i];
        capture::Stack stack;
        stack.id = i + 1;
        stack.kernel = end_of(merged.kernel_end);
        stack.user = end_of(merged.user_end);
        for (const uint32_t frame : merged.frames)
            stack.frames.push_back(frame_of(frame));
        writer_.stack(stack);
    }
    for (const MergedSample &merged : samples.samples()) {
        capture::Sample sample;
        sample.stack = merged.stack;
        sample.waker = merged.waker;
        sample.count = static_cast<uint64_t>(clipped(merged.count));
        sample.sum = clipped(merged.sum);
        for (const auto &[name, text] : std::array{std::pair("label", &merged.label), std::pair("comm", &merged.comm),
                                                   std::pair("frames", &merged.frames)})
            if (!text->empty()) sample.labels.push_back({name, *text, 0});
        writer_.sample(sample);
    }
    write_quality();
    return writer_.finish("finished");
}

}  // namespace

Outcome<void> write_capture(const Merge &merge, const std::string &command, int fd) {
    return CaptureFile(merge, fd).write(command);
}

}  // namespace tapir::merge
