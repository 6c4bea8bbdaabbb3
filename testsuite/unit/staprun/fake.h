// SPDX-License-Identifier: GPL-2.0-or-later
// A module and a world around the session that tests can steer.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "events.h"
#include "module_control.h"

namespace tapir::staprun {

inline std::string make_record(uint64_t time, uint8_t type, uint16_t cpu, const std::string &payload) {
    tapir_record header = {};
    header.time = time;
    header.length = static_cast<u32>(payload.size());
    header.type = type;
    header.cpu = cpu;
    std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
    bytes += payload;
    bytes.resize(TAPIR_RECORD_SIZE(payload.size()));
    return bytes;
}

class FakeControl final : public Control {
  public:
    uint64_t snapshot_time = 0;
    uint32_t state = TAPIR_STATE_RUNNING;
    uint32_t state_after_stop = TAPIR_STATE_DONE;
    int read_error = 0;
    int snapshot_error = 0;
    std::vector<bool> waits;  // of each snapshot: whether its caller waits for news
    int stop_error = 0;
    unsigned stops = 0;
    unsigned interrupts = 0;
    unsigned detaches = 0;
    unsigned reads = 0;
    size_t read_limit = SIZE_MAX;  // at most so many bytes per READ (whole records)
    std::vector<tapir_ioc_probe> probes;
    std::vector<tapir_ioc_lock> locks;
    std::vector<tapir_ioc_object> objects;
    std::vector<std::string> symbols;
    std::vector<std::string> formats;  // as the module describes them
    std::vector<tapir_ioc_program> programs;
    std::vector<u32> programs_set;
    int program_error = 0;
    std::vector<int> cgroups_set;
    int cgroup_error = 0;
    std::vector<tapir_ioc_budget> budgets;
    u32 hello_cpus = 0;
    int budget_error = 0;
    tapir_ioc_status status_row = {};
    std::vector<tapir_ioc_unwind_want> wanted;
    std::vector<tapir_ioc_interpreter> interpreters;
    std::vector<tapir_ioc_unknown_interpreter> unknown;      // by object
    std::map<u32, tapir_file_interpreter> put_interpreters;  // of the objects that are any
    std::map<unsigned, std::string> put;                     // tables
    std::vector<int> announced;
    tapir_ioc_unwind_count unwind_row = {};
    u32 hello_flags = 0;
    tapir_ioc_calls calls_row = {};
    tapir_ioc_cut cut_row = {};
    tapir_ioc_stacks stacks_row = {};
    std::string bulk_rows[3];  // by enum tapir_bulk
    tapir_ioc_profile profile_row = {};
    int profile_error = 0;  // ENOTTY: the script stores no stacks
    std::vector<int64_t> processes;
    std::function<void()> on_stop;

    // A well-formed record in the stream's buffer.
    void add(uint32_t stream, uint16_t cpu, uint64_t time, const std::string &payload, uint8_t type = TAPIR_REC_DATA) {
        add_bytes(stream, cpu, make_record(time, type, cpu, payload));
    }
    // One chunk that READ hands out whole.
    void add_bytes(uint32_t stream, uint32_t cpu, const std::string &bytes) {
        chunks_[{cpu, stream}].push_back(bytes);
        rows_[{cpu, stream}].records_produced++;
        rows_[{cpu, stream}].bytes_produced += bytes.size();
    }
    void drop(uint32_t stream, uint32_t cpu, uint64_t bytes) {
        tapir_ioc_stream &row = rows_[{cpu, stream}];
        row.records_produced++;
        row.records_dropped++;
        row.bytes_produced += bytes;
        row.bytes_dropped += bytes;
    }

    int hello(tapir_ioc_hello &out) override {
        out = {};
        out.abi = TAPIR_ABI;
        out.state = state;
        out.flags = hello_flags;
        out.cpus = hello_cpus;
        out.probes = static_cast<u32>(probes.size());
        out.globals = static_cast<u32>(locks.size());
        strcpy(out.name, "fake");
        return 0;
    }
    int config(const tapir_ioc_config &) override { return 0; }
    std::vector<std::string> globals_set;
    int set_global(const std::string &name, const std::string &value) override {
        globals_set.push_back(name + "=" + value);
        return 0;
    }
    int symbol_get(tapir_ioc_symbol &inout) override {
        if (inout.index >= symbols.size()) return EINVAL;
        snprintf(inout.name, sizeof inout.name, "%s", symbols[inout.index].c_str());
        return 0;
    }
    int symbol_set(const tapir_ioc_symbol &) override { return EINVAL; }
    int interpreter(tapir_ioc_interpreter &inout) override {
        if (inout.index >= interpreters.size()) return EINVAL;
        const u32 index = inout.index;
        inout = interpreters[index];
        inout.index = index;
        return 0;
    }
    int put_interpreter(const tapir_ioc_put_interpreter &in) override {
        if (put.contains(in.index)) return EINVAL;
        put_interpreters[in.index] = in.interpreter;
        return 0;
    }
    int unknown_interpreter(tapir_ioc_unknown_interpreter &inout) override {
        for (const tapir_ioc_unknown_interpreter &one : unknown)
            if (one.index >= inout.index) {
                inout = one;
                return 0;
            }
        return ENODATA;
    }
    int unwind_want(tapir_ioc_unwind_want &out) override {
        if (wanted.empty()) return ENODATA;
        out = wanted.back();
        wanted.pop_back();
        return 0;
    }
    int unwind_put(const tapir_ioc_unwind_put &in) override {
        put[in.index] = std::string(reinterpret_cast<const char *>(static_cast<uintptr_t>(in.block)), in.length);
        return 0;
    }
    int unwind_process(const tapir_ioc_unwind_process &in) override {
        processes.push_back(in.pid);
        return ESRCH;
    }
    int unwind_file(const tapir_ioc_unwind_file &in) override {
        announced.push_back(in.file);
        return 0;
    }
    int calls(tapir_ioc_calls &out) override {
        out = calls_row;
        return 0;
    }
    int stacks(tapir_ioc_stacks &out) override {
        out = stacks_row;
        return 0;
    }
    int bulk(tapir_ioc_bulk &inout) override {
        const std::string &rows = bulk_rows[inout.what];
        memcpy(reinterpret_cast<void *>(inout.buffer), rows.data(), rows.size());
        inout.filled = static_cast<u32>(rows.size());
        inout.at = 0;
        return profile_error;
    }
    int profile(tapir_ioc_profile &out) override {
        out = profile_row;
        return profile_error;
    }
    int cut(tapir_ioc_cut &out) override {
        out = cut_row;
        return 0;
    }
    // The results of FRAMES: so often EAGAIN first, then the lines, two calls for them.
    unsigned frames_missing = 0;
    std::vector<std::string> frames_lines;
    tapir_ioc_frames frames_asked = {};
    int frames(tapir_ioc_frames &inout) override {
        frames_asked = inout;
        if (frames_missing && !inout.last) return frames_missing--, EAGAIN;
        if (inout.at >= frames_lines.size()) return ESRCH;
        const std::string &line = frames_lines[inout.at];
        memcpy(reinterpret_cast<char *>(inout.buffer), line.data(), line.size());
        inout.filled = static_cast<u32>(line.size());
        inout.at = inout.at + 1 < frames_lines.size() ? inout.at + 1 : 0;
        return 0;
    }
    int unwind_count(tapir_ioc_unwind_count &out) override {
        out = unwind_row;
        return 0;
    }
    int object(tapir_ioc_object &io) override {
        if (io.index >= objects.size()) return EINVAL;
        io = objects[io.index];
        return 0;
    }
    int format(tapir_ioc_format &io) override {
        if (io.index >= formats.size()) return EINVAL;
        const std::string &text = formats[io.index];
        if (text.size() <= io.length) memcpy(reinterpret_cast<char *>(io.buffer), text.data(), text.size());
        io.length = static_cast<u32>(text.size());
        return 0;
    }
    int program_get(tapir_ioc_program &io) override {
        if (io.index >= programs.size()) return EINVAL;
        io = programs[io.index];
        return 0;
    }
    int program_set(const tapir_ioc_program &in) override {
        if (program_error) return program_error;
        programs_set.push_back(in.index);
        return 0;
    }
    int budget(const tapir_ioc_budget &in) override {
        if (!budget_error) budgets.push_back(in);
        return budget_error;
    }
    int cgroup(const tapir_ioc_cgroup &in) override {
        if (!cgroup_error) cgroups_set.push_back(in.fd);
        return cgroup_error;
    }
    int start() override { return 0; }
    int stop() override {
        stops++;
        if (stop_error) return stop_error;
        if (on_stop) on_stop();
        state = state_after_stop;
        return 0;
    }
    int interrupt() override {
        interrupts++;
        return 0;
    }
    int detach() override {
        detaches++;
        return 0;
    }
    int snapshot(tapir_ioc_snapshot &out) override {
        waits.push_back(out.flags & TAPIR_SNAPSHOT_WAITS);
        out = {};
        out.time = snapshot_time;
        out.state = state;
        for (auto &[key, chunks] : chunks_)
            for (auto &chunk : chunks)
                out.ready += chunk.size();
        return snapshot_error;
    }
    int read(tapir_ioc_read &io) override {
        reads++;
        if (read_error) return read_error;
        auto &chunks = chunks_[{io.cpu, io.stream}];
        auto &row = rows_[{io.cpu, io.stream}];
        io.filled = 0;
        while (!chunks.empty() && io.filled + chunks.front().size() <= std::min<size_t>(io.length, read_limit)) {
            memcpy(reinterpret_cast<char *>(io.buffer) + io.filled, chunks.front().data(), chunks.front().size());
            io.filled += static_cast<u32>(chunks.front().size());
            row.records_delivered++;
            row.bytes_delivered += chunks.front().size();
            chunks.erase(chunks.begin());
        }
        return 0;
    }
    int probe(tapir_ioc_probe &io) override {
        if (io.index >= probes.size()) return EINVAL;
        io = probes[io.index];
        return 0;
    }
    int switch_error = 0;
    int switch_probe(const tapir_ioc_switch &in) override {
        if (switch_error) return switch_error;
        if (in.index >= probes.size() || probes[in.index].flags & TAPIR_PROBE_SYNTHETIC) return EINVAL;
        probes[in.index].flags = in.on ? 0 : TAPIR_PROBE_OFF;
        return 0;
    }
    int stream(tapir_ioc_stream &io) override {
        tapir_ioc_stream row = rows_[{io.cpu, io.stream}];
        row.cpu = io.cpu;
        row.stream = io.stream;
        io = row;
        return 0;
    }
    int status(tapir_ioc_status &out) override {
        out = status_row;
        out.state = state;
        return 0;
    }
    int lock(tapir_ioc_lock &io) override {
        if (io.index >= locks.size()) return EINVAL;
        io = locks[io.index];
        return 0;
    }
    int descriptor() const override { return 1000; }

  private:
    std::map<std::pair<uint32_t, uint32_t>, std::vector<std::string>> chunks_;
    std::map<std::pair<uint32_t, uint32_t>, tapir_ioc_stream> rows_;
};

// Plays a list of steps, one per wait; when it is used up, time passes.
class FakeEvents final : public Events {
  public:
    struct Step {
        Event event;
        std::function<void()> also;
    };
    std::vector<Step> steps;
    std::vector<Watch> watched;
    std::vector<int> timeouts;
    uint64_t clock = 1000;

    Event wait(const Watch &watch, int timeout_ms) override {
        watched.push_back(watch);
        timeouts.push_back(timeout_ms);
        clock += static_cast<uint64_t>(timeout_ms) * 1000000;
        if (next_ >= steps.size()) return {};
        Step &step = steps[next_++];
        if (step.also) step.also();
        Event event = step.event;
        event.control = event.control && watch.control >= 0;
        return event;
    }
    uint64_t now() override { return clock; }

  private:
    size_t next_ = 0;
};

}  // namespace tapir::staprun
