// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/samples.h"

#include <nlohmann/json.hpp>

namespace tapir::merge {
namespace {

using nlohmann::json;

constexpr const char *kDamagedSample = "a record of samples lacks members, or they are no numbers";
constexpr size_t kMostOwn = 1 << 17;  // stacks of a host; the module's own limit is below
constexpr size_t kMostFrames = 2048;  // of a stack

std::string text_at(const json &object, const char *name) {
    const auto found = object.find(name);
    const std::string *text = found == object.end() ? nullptr : found->get_ptr<const std::string *>();
    return text ? *text : "";
}

bool natural_at(const json &object, const char *name, uint64_t &number) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_unsigned()) return false;
    number = found->get<uint64_t>();
    return true;
}

void add_part(std::string &key, std::string_view part) {
    key.append(std::to_string(part.size())).append(":").append(part);
}

std::string frame_key(const MergedFrame &frame) {
    std::string key = frame.in + (frame.returns ? "<" : " ");
    add_part(key, frame.build_id.empty() ? frame.object : frame.build_id);
    add_part(key, frame.name);
    add_part(key, frame.text);
    if (frame.name.empty()) add_part(key, std::to_string(frame.offset));
    return key;
}

}  // namespace

std::string Samples::add_profile(uint32_t, const json &record) {
    uint64_t hz = 0, overflowed = 0;
    natural_at(record, "hz", hz);
    natural_at(record, "overflowed", overflowed);
    overflowed_ += overflowed;
    if (any_) return text_at(record, "unit") == unit_ ? "" : "samples are of another unit than those of other hosts";
    any_ = true;
    title_ = text_at(record, "title");
    unit_ = text_at(record, "unit");
    clock_ = text_at(record, "clock");
    hz_ = hz;
    return "";
}

// Addresses are others on each host: without a name, code of the kernel and of no file is all alike.
bool Samples::take_frame(const json &told, MergedStack &stack, std::string &key) {
    if (!told.is_object()) return false;
    MergedFrame frame;
    frame.in = text_at(told, "in");
    frame.name = text_at(told, "name");
    frame.text = text_at(told, "text");
    frame.returns = told.contains("returns");
    if (frame.in == "file") {
        frame.object = text_at(told, "object");
        frame.build_id = text_at(told, "build_id");
        natural_at(told, "offset", frame.offset);
    } else if (frame.in == "memory") {
        frame.in = "text";
        frame.text = frame.name.empty() ? "[code in no file]" : frame.name;
        frame.name.clear();
    } else if (frame.in == "kernel" && frame.name.empty()) {
        frame.name = "[kernel]";
    } else if (frame.in != "kernel" && frame.in != "text") {
        return false;
    }
    const std::string name = frame_key(frame);
    auto found = frame_numbers_.find(name);
    if (found == frame_numbers_.end()) {
        if (!room_.take(2 * name.size() + sizeof frame + frame.object.size() + 64)) return true;
        found = frame_numbers_.emplace(name, frames_.size()).first;
        frames_.push_back(std::move(frame));
    }
    stack.frames.push_back(found->second);
    key.append(reinterpret_cast<const char *>(&found->second), sizeof found->second);
    return true;
}

// The stack of all for which there is no room.
uint32_t Samples::others() {
    if (others_) return others_;
    MergedFrame frame;
    frame.in = "text";
    frame.text = "[other stacks]";
    frames_.push_back(frame);
    stacks_.push_back({"", "", {static_cast<uint32_t>(frames_.size() - 1)}});
    return others_ = static_cast<uint32_t>(stacks_.size());
}

std::string Samples::add_stack(uint32_t host, const json &record) {
    uint64_t own = 0;
    const auto frames = record.find("frames");
    if (!natural_at(record, "stack", own) || frames == record.end() || !frames->is_array()) return kDamagedSample;
    std::unordered_map<uint64_t, uint32_t> &known = known_[host];
    if (known.size() >= kMostOwn || frames->size() > kMostFrames)
        return "the host has too many stacks, or too deep ones";
    MergedStack stack = {text_at(record, "kernel_end"), text_at(record, "user_end"), {}};
    std::string key;
    add_part(key, stack.kernel_end);
    add_part(key, stack.user_end);
    for (const json &frame : *frames)
        if (!take_frame(frame, stack, key)) return kDamagedSample;
    auto found = stack_numbers_.find(key);
    if (found == stack_numbers_.end()) {
        const bool whole = stack.frames.size() == frames->size();
        if (!whole || stacks_.size() >= room_.limits().stacks || !room_.take(key.size() * 2 + sizeof stack + 64)) {
            known[own] = others();
            return "";
        }
        stacks_.push_back(std::move(stack));
        found = stack_numbers_.emplace(key, stacks_.size()).first;
    }
    known[own] = found->second;
    return "";
}

uint32_t Samples::find_stack(uint32_t host, const json &record, const char *name) const {
    uint64_t own = 0;
    const auto known = known_.find(host);
    if (!natural_at(record, name, own) || known == known_.end()) return kNone;
    const auto found = known->second.find(own);
    return found == known->second.end() ? kNone : found->second;
}

std::string Samples::add_sample(uint32_t host, const json &record) {
    uint64_t count = 0;
    const auto sum = record.find("sum");
    if (!any_) return "a sample comes before its profile";
    if (!natural_at(record, "count", count) || sum == record.end() || !sum->is_number_integer()) return kDamagedSample;
    MergedSample sample;
    sample.stack = find_stack(host, record, "stack");
    sample.waker = find_stack(host, record, "waker");
    sample.label = text_at(record, "label");
    sample.comm = text_at(record, "comm");
    sample.frames = text_at(record, "frames");
    std::string key = std::to_string(sample.stack) + "," + std::to_string(sample.waker) + ",";
    for (const std::string *part : {&sample.label, &sample.comm, &sample.frames})
        add_part(key, *part);
    auto found = sample_numbers_.find(key);
    if (found == sample_numbers_.end() && !room_.take(key.size() * 2 + sizeof sample + hosts_ / 8 + 64)) {
        sample = {};
        sample.stack = others();
        key = "others";
        found = sample_numbers_.find(key);
    }
    if (sample.stack == others_ && others_) ++beyond_;
    if (found == sample_numbers_.end()) {
        found = sample_numbers_.emplace(key, samples_.size()).first;
        samples_.push_back(std::move(sample));
    }
    MergedSample &all = samples_[found->second];
    all.count += count;
    all.sum += sum->get<int64_t>();
    all.hosts.add(host);
    spread_.add(host, count, 1);
    return "";
}

}  // namespace tapir::merge
