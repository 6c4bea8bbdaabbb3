// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge.h"

#include <algorithm>
#include <cerrno>

namespace tapir::staprun {

// Room for one READ: many records, so that the cost of the call disappears, yet little per stream.
static constexpr size_t kPiece = 128 * 1024;
static_assert(kPiece >= TAPIR_RECORD_SIZE(TAPIR_RECORD_MAX));

Merger::Merger(Control &control, unsigned cpus) : control_(control), scratch_(kPiece, '\0') {
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        for (uint32_t stream = 0; stream < TAPIR_STREAMS; stream++) {
            Stream &added = streams_.emplace_back();
            added.stream = stream;
            added.cpu = cpu;
        }
    }
}

int Merger::refill(Stream &stream) {
    tapir_ioc_read request = {};
    request.stream = stream.stream;
    request.cpu = stream.cpu;
    // Most streams of a big machine stay empty: they share one buffer until they prove otherwise.
    std::string &target = stream.buffer.empty() ? scratch_ : stream.buffer;
    request.buffer = reinterpret_cast<uintptr_t>(target.data());
    request.length = static_cast<u32>(target.size());
    if (int error = control_.read(request)) return error;
    size_t filled = std::min<size_t>(request.filled, target.size());
    if (filled == 0) {
        stream.drained = true;
        return 0;
    }
    bytes_read_ += filled;
    if (stream.buffer.empty()) {
        stream.buffer.swap(scratch_);
        scratch_.assign(kPiece, '\0');
    }
    stream.rest = std::string_view(stream.buffer).substr(0, filled);
    return 0;
}

int Merger::advance(Stream &stream) {
    stream.has_head = false;
    while (!stream.drained || !stream.rest.empty()) {
        switch (next_record(stream.rest, stream.head)) {
            case Parse::Record:
                // The module promises that times never decrease; an older one must not stop the merge.
                stream.last_time = stream.head.time = std::max(stream.head.time, stream.last_time);
                stream.has_head = true;
                return 0;
            case Parse::Damaged:
                bytes_damaged_ += stream.rest.size();
                stream.rest = {};
                break;
            case Parse::End:
                if (int error = refill(stream)) return error;
                break;
        }
    }
    return 0;
}

// Order of a heap whose top is the earliest record; ties go by CPU, then stream, so that output is reproducible.
bool Merger::later(uint32_t a, uint32_t b) const {
    uint64_t time_a = streams_[a].head.time;
    uint64_t time_b = streams_[b].head.time;
    return time_a != time_b ? time_a > time_b : a > b;
}

int Merger::gather(std::vector<uint32_t> &heap) {
    for (uint32_t i = 0; i < streams_.size(); i++) {
        Stream &stream = streams_[i];
        stream.drained = false;
        if (!stream.has_head) {
            if (int error = advance(stream)) return error;
        }
        if (stream.has_head) heap.push_back(i);
    }
    return 0;
}

Merger::Round Merger::round(const Sink &sink, bool waits) {
    Round round;
    tapir_ioc_snapshot snapshot = {};
    snapshot.flags = waits ? TAPIR_SNAPSHOT_WAITS : 0;
    round.error = control_.snapshot(snapshot);
    if (round.error) return round;
    round.state = snapshot.state;
    round.time = snapshot.time;
    uint64_t until = snapshot.state == TAPIR_STATE_DONE ? UINT64_MAX : snapshot.time;
    bool held_back = std::any_of(streams_.begin(), streams_.end(), [](const Stream &s) { return s.has_head; });
    if (snapshot.ready == 0 && !held_back) {
        round.complete = true;
        return round;
    }

    auto order = [this](uint32_t a, uint32_t b) { return later(a, b); };
    std::vector<uint32_t> heap;
    round.error = gather(heap);
    std::make_heap(heap.begin(), heap.end(), order);
    while (!round.error && !heap.empty() && streams_[heap.front()].head.time <= until) {
        std::pop_heap(heap.begin(), heap.end(), order);
        Stream &stream = streams_[heap.back()];
        round.delivered++;
        if (!sink(stream.head)) {
            round.abandoned = true;
            stream.has_head = false;
            return round;
        }
        round.error = advance(stream);
        if (stream.has_head) {
            std::push_heap(heap.begin(), heap.end(), order);
        } else {
            heap.pop_back();
        }
    }
    round.complete = heap.empty();
    return round;
}

}  // namespace tapir::staprun
