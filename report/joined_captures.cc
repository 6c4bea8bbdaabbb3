// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/joined_captures.h"

#include <algorithm>
#include <ctime>

#include "capture/picture_files.h"

namespace tapir::report {

namespace {

using capture::Capture;
using capture::FrameKey;
using capture::FrameKind;

uint64_t added(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t end_of(const capture::Meta &meta) {
    return added(meta.started, meta.duration);
}

void put(std::string &out, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        out += static_cast<char>(0x80 | (number & 0x7f));
    out += static_cast<char>(number);
}

void put(std::string &out, const std::string &text) {
    put(out, text.size());
    out += text;
}

std::string content_of(const capture::Stack &stack) {
    std::string out;
    put(out, static_cast<uint64_t>(stack.kernel));
    put(out, static_cast<uint64_t>(stack.user));
    for (const capture::Frame &frame : stack.frames) {
        put(out, static_cast<uint64_t>(frame.kind) + 4u * frame.flags);
        put(out, frame.object);
        put(out, frame.place);
        if (frame.kind == FrameKind::Text) put(out, frame.text);
    }
    return out;
}

std::string content_of(const capture::Sample &sample) {
    std::string out;
    put(out, sample.stack);
    put(out, sample.waker);
    for (const capture::Label &label : sample.labels) {
        put(out, label.key);
        put(out, label.text);
        put(out, static_cast<uint64_t>(label.number));
    }
    return out;
}

bool same_columns(const capture::Table &a, const capture::Table &b) {
    return a.name == b.name && std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                                          [](const capture::Column &x, const capture::Column &y) {
                                              return std::tie(x.name, x.unit, x.subject, x.is_text) ==
                                                     std::tie(y.name, y.unit, y.subject, y.is_text);
                                          });
}

std::string seconds_text(uint64_t ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ns) / 1e9);
    return text;
}

}  // namespace

std::string moment_text(uint64_t at, uint64_t near, int64_t zone) {
    const auto local = [zone](uint64_t ns) { return static_cast<time_t>(ns / 1'000'000'000) + zone; };
    const time_t here = local(at);
    constexpr time_t kDay = 86400;
    tm parts{};
    gmtime_r(&here, &parts);
    char text[32];
    std::strftime(text, sizeof text, here / kDay == local(near) / kDay ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

Outcome<void> JoinedCaptures::add(Capture next, const std::string &name) {
    if (!has_part(next)) return {};
    const bool both_tell = !next.meta.script.empty() && !all_.meta.script.empty();
    if (both_tell && std::tie(next.meta.script, next.meta.arguments, next.meta.unit) !=
                         std::tie(all_.meta.script, all_.meta.arguments, all_.meta.unit))
        return Fault{FaultTag::Misuse,
                     "it is of '" + (next.meta.script + " " + next.meta.arguments) + "', and others are of '" +
                         all_.meta.script + " " + all_.meta.arguments + "'",
                     "give the folder of one of them"};
    object_of_.clear();
    interpreter_of_.clear();
    frame_of_.clear();
    stack_of_.clear();
    note_gap(next.meta);
    add_meta(next.meta);
    add_objects(next);
    add_stacks(next);
    add_samples(next);
    add_tables(next);
    add_counts(next, name);
    count_++;
    return {};
}

bool JoinedCaptures::has_part(const Capture &next) {
    return next.meta.started <= span_.to && end_of(next.meta) >= span_.from;
}

void JoinedCaptures::note_gap(const capture::Meta &next) {
    if (count_ && next.started > ended_) {
        const uint64_t gap = next.started - ended_;
        gaps_++;
        gap_ns_ += gap;
        if (gap > longest_gap_) {
            longest_gap_ = gap;
            longest_at_ = ended_;
        }
    }
    ended_ = std::max(ended_, end_of(next));
}

// The first one says when it began; the duration is that of all sessions, without the time between them. A session that
// was killed does not tell its script: staprun writes that at the end. The first one that does holds for all.
void JoinedCaptures::add_meta(const capture::Meta &next) {
    if (all_.meta.script.empty()) {
        const capture::Meta before = all_.meta;
        all_.meta = next;
        all_.meta.duration = before.duration;
        if (count_) all_.meta.started = before.started;
    }
    const uint64_t begin = std::max(next.started, span_.from), end = std::min(end_of(next), span_.to);
    all_.meta.duration = added(all_.meta.duration, end > begin ? end - begin : 0);
    all_.meta.cpus = std::max(all_.meta.cpus, next.cpus);
    all_.meta.hz = std::max(all_.meta.hz, next.hz);
    if (all_.meta.pid != next.pid) all_.meta.pid = 0;
}

void JoinedCaptures::add_objects(const Capture &next) {
    for (const auto &[number, interpreter] : next.interpreters) {
        const auto [at, fresh] = interpreters_.try_emplace({interpreter.name, interpreter.loop},
                                                           static_cast<uint32_t>(interpreters_.size() + 1));
        if (fresh) {
            capture::Interpreter copy = interpreter;
            copy.number = at->second;
            all_.interpreters[copy.number] = std::move(copy);
        }
        interpreter_of_[number] = at->second;
    }
    for (const auto &[id, object] : next.objects) {
        capture::Object copy = object;
        const auto interpreter = interpreter_of_.find(object.interpreter);
        copy.interpreter = interpreter == interpreter_of_.end() ? 0 : interpreter->second;
        const auto [at, fresh] =
            objects_.try_emplace({copy.path, copy.build_id, copy.bias, copy.started, copy.interpreter},
                                 static_cast<uint32_t>(objects_.size() + 1));
        copy.id = at->second;
        if (fresh) all_.objects[copy.id] = std::move(copy);
        object_of_[id] = at->second;
    }
}

// The kernel's addresses change from boot to boot, and so do those of code that is compiled at run time.
FrameKey JoinedCaptures::moved(const Capture &next, const FrameKey &key) {
    const auto [at, fresh] = frame_of_.try_emplace(key, key);
    if (!fresh) return at->second;
    FrameKey &to = at->second;
    if (key.kind == FrameKind::File) {
        const auto object = object_of_.find(key.object);
        to.object = object == object_of_.end() ? 0 : object->second;
    }
    const auto theirs = next.names.find(key);
    if (theirs == next.names.end() || theirs->second.empty()) return to;
    auto ours = all_.names.find(to);
    if (ours != all_.names.end() && key.kind != FrameKind::File &&
        (ours->second.empty() || ours->second.front().name != theirs->second.front().name)) {
        to.place = fresh_place_++;
        ours = all_.names.end();
    }
    if (ours == all_.names.end()) all_.names[to] = theirs->second;
    if (const auto builtin = next.builtins.find(key); builtin != next.builtins.end())
        all_.builtins.try_emplace(to, builtin->second);
    return to;
}

void JoinedCaptures::add_stacks(const Capture &next) {
    for (const capture::Stack &stack : next.stacks) {
        capture::Stack copy = stack;
        for (capture::Frame &frame : copy.frames) {
            if (frame.kind == FrameKind::Text) continue;
            const FrameKey to = moved(next, capture::key_of(frame));
            frame.object = to.object;
            frame.place = to.place;
        }
        const auto [at, fresh] = stacks_.try_emplace(content_of(copy), stacks_.size() + 1);
        stack_of_[stack.id] = at->second;
        if (!fresh) continue;
        copy.id = at->second;
        all_.stack_by_id[copy.id] = all_.stacks.size();
        all_.stacks.push_back(std::move(copy));
    }
}

void JoinedCaptures::add_sample(capture::Sample sample) {
    if (!sample.time) {
        const auto [at, fresh] = samples_.try_emplace(content_of(sample), all_.samples.size());
        if (!fresh) {
            capture::Sample &known = all_.samples[at->second];
            int64_t sum = 0;
            uint64_t count = 0;
            if (!__builtin_add_overflow(known.sum, sample.sum, &sum) &&
                !__builtin_add_overflow(known.count, sample.count, &count)) {
                known.sum = sum;
                known.count = count;
                return;
            }
        }
    }
    all_.samples.push_back(std::move(sample));
}

void JoinedCaptures::add_samples(const Capture &next) {
    const auto stack = [this](uint64_t id) {
        if (id == capture::kNoStack || id == capture::kMissingStack) return id;
        const auto known = stack_of_.find(id);
        return known == stack_of_.end() ? capture::kMissingStack : known->second;
    };
    const bool whole = next.meta.started >= span_.from && end_of(next.meta) <= span_.to;
    const uint64_t later = next.meta.started - std::min(next.meta.started, all_.meta.started);
    bool untimed = false;
    for (const capture::Sample &sample : next.samples) {
        capture::Sample copy = sample;
        if (sample.time) {
            const uint64_t at = added(next.meta.started, sample.time);
            if (at < span_.from || at > span_.to) continue;
            copy.time = added(sample.time, later);
        } else {
            untimed = true;
        }
        copy.stack = stack(sample.stack);
        copy.waker = stack(sample.waker);
        add_sample(std::move(copy));
    }
    partly_ += !whole && untimed;
    for (const capture::Text &text : next.texts)
        all_.texts.push_back({text.time ? added(text.time, later) : 0, text.bytes});
}

void JoinedCaptures::add_tables(Capture &next) {
    uint64_t rows = 0;
    for (capture::Table &table : next.tables) {
        auto to = std::find_if(all_.tables.begin(), all_.tables.end(),
                               [&](const capture::Table &known) { return same_columns(known, table); });
        if (to == all_.tables.end()) to = all_.tables.insert(to, {table.name, table.columns, {}});
        for (capture::TableRow &row : table.rows) {
            rows = std::max(rows, row.number + 1);
            row.number += rows_;
            to->rows.push_back(std::move(row));
        }
    }
    rows_ += rows;
}

void JoinedCaptures::add_counts(Capture &next, const std::string &name) {
    for (capture::ProbeLedger &probe : next.probes) {
        const auto known = std::find_if(all_.probes.begin(), all_.probes.end(),
                                        [&](const capture::ProbeLedger &p) { return p.probe == probe.probe; });
        if (known == all_.probes.end()) {
            all_.probes.push_back(std::move(probe));
            continue;
        }
        known->hits = added(known->hits, probe.hits);
        for (const auto &skipped : probe.skipped) {
            const auto same = std::find_if(known->skipped.begin(), known->skipped.end(),
                                           [&](const auto &s) { return s.reason == skipped.reason; });
            if (same == known->skipped.end())
                known->skipped.push_back(skipped);
            else
                same->count = added(same->count, skipped.count);
        }
    }
    for (size_t i = 0; i < std::size(next.losses); i++)
        all_.losses[i] = added(all_.losses[i], next.losses[i]);
    for (const capture::Message &message : next.messages)
        if (std::none_of(all_.messages.begin(), all_.messages.end(), [&](const capture::Message &known) {
                return known.text == message.text && known.severity == message.severity;
            }))
            all_.messages.push_back(message);
    all_.unknown = added(all_.unknown, next.unknown);
    if (next.how.empty() && !unsealed_++) damage_ = name + ": " + (next.damage.empty() ? "it has no end" : next.damage);
    all_.how = next.how;
}

Capture JoinedCaptures::take() {
    const auto warn = [this](std::string text) {
        all_.messages.push_back({capture::Severity::Warning, std::move(text)});
    };
    if (gaps_)
        warn("no session ran for " + seconds_text(gap_ns_) + " between the first and the last: " +
             capture::counted_text(gaps_, "gap") + ", the longest of " + seconds_text(longest_gap_) + " from " +
             moment_text(longest_at_, all_.meta.started, all_.meta.zone) + " on");
    if (partly_)
        warn(capture::counted_text(partly_, "session") +
             " at the ends of the span count as a whole: their samples have no times");
    if (unsealed_) {
        all_.how.clear();
        all_.damage = damage_;
        if (unsealed_ > 1) all_.damage += ", and " + std::to_string(unsealed_ - 1) + " more";
    }
    return std::move(all_);
}

}  // namespace tapir::report
