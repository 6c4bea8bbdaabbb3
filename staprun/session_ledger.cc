// SPDX-License-Identifier: GPL-2.0-or-later
#include "session_ledger.h"

#include <tapir/stacks.h>
#include <tapir/unwind.h>

#include <algorithm>
#include <cstring>

extern "C" {
#include "items/measures.h"
}

#include "common/json.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

using ull = unsigned long long;

const char *const kSkipNames[TAPIR_SKIPS] = {"reentry", "lock", "stack", "state", "budget"};
const char *const kStreamNames[TAPIR_STREAMS] = {"data", "control", "nmi"};

// Names of the ends of walks, by enum tapir_unwind_end: for programs, and for people.
struct EndName {
    const char *key, *text;
};
const EndName kEndNames[TAPIR_UNWIND_ENDS] = {
    {"more", ""},
    {"complete", ""},
    {"cut", ""},
    {"no_object", "in code that is in no file"},
    {"no_table", "in a file whose unwind table had not been made"},
    {"no_row", "in code without unwind information"},
    {"expression", "in code with unwind information of a form that is not supported"},
    {"fault", "at memory that could not be read"},
    {"loop", "in a circle"},
    {"busy", "while the process's mappings were being changed"},
    {"foreign", ""},
    {"return_probe", "at a call whose return was just being probed"},
    {"no_code", "at a return address that is not in code"},
    {"exec", ""},
    {"machine", ""},
    {"limit", "at the limit of frames (4096; 2048 of a stored stack)"},
};
static_assert(TAPIR_UNWIND_STEPS == 4096 && TAPIR_STACK_ROOM == 2048);

template <size_t N>
std::string ledger_text(const char (&text)[N]) {
    return std::string(text, strnlen(text, N));
}

uint64_t skipped_of(const tapir_ioc_probe &p) {
    return p.skipped[TAPIR_SKIP_REENTRY] + p.skipped[TAPIR_SKIP_LOCK] + p.skipped[TAPIR_SKIP_STACK];
}

uint64_t left_records(const tapir_ioc_stream &s) {
    return s.records_produced - s.records_delivered - s.records_dropped;
}
uint64_t left_bytes(const tapir_ioc_stream &s) {
    return s.bytes_produced - s.bytes_delivered - s.bytes_dropped;
}

bool probe_balanced(const tapir_ioc_probe &p) {
    uint64_t sum = p.handled;
    for (uint64_t skips : p.skipped)
        sum += skips;
    return sum == p.hits;
}

bool stream_balanced(const tapir_ioc_stream &s) {
    return s.records_delivered + s.records_dropped <= s.records_produced &&
           s.bytes_delivered + s.bytes_dropped <= s.bytes_produced;
}

bool stream_lost(const tapir_ioc_stream &s) {
    return s.records_dropped || left_records(s) || !stream_balanced(s);
}

bool calls_balanced(const tapir_ioc_calls &c) {
    return c.followed == c.returned + c.left + c.inside + c.missed;
}

std::string calls_line(const tapir_ioc_calls &c) {
    return format("ledger: calls: followed %llu = returned %llu + left %llu + inside %llu + missed %llu%s\n",
                  ull{c.followed}, ull{c.returned}, ull{c.left}, ull{c.inside}, ull{c.missed},
                  calls_balanced(c) ? "" : " (DOES NOT BALANCE)");
}

// A budget did not let all hits be handled, or be at all.
bool thinned(const tapir_ioc_probe &p) {
    return p.skipped[TAPIR_SKIP_BUDGET] || p.stretched;
}

std::string probe_line(const tapir_ioc_probe &p) {
    const uint64_t left_out = p.skipped[TAPIR_SKIP_BUDGET];
    const std::string budget = left_out ? format(" + budget %llu", ull{left_out}) : "";
    return format(
        "ledger: probe %s (%s): hits %llu = handled %llu + reentry %llu + lock %llu + stack %llu + state %llu%s; "
        "missed %llu%s\n",
        ledger_text(p.point).c_str(), ledger_text(p.where).c_str(), ull{p.hits}, ull{p.handled},
        ull{p.skipped[TAPIR_SKIP_REENTRY]}, ull{p.skipped[TAPIR_SKIP_LOCK]}, ull{p.skipped[TAPIR_SKIP_STACK]},
        ull{p.skipped[TAPIR_SKIP_STATE]}, budget.c_str(), ull{p.missed},
        probe_balanced(p) ? "" : " (DOES NOT BALANCE)");
}

std::string overhead_json(const std::vector<tapir_ioc_probe> &probes, uint64_t running_ns) {
    Overhead sum;
    for (const tapir_ioc_probe &p : probes)
        sum += overhead_of(p);
    return format("{\"ns\": %llu, \"handlers_ns\": %llu, \"armed_ns\": %llu}", ull{sum.ns()}, ull{sum.handlers_ns},
                  ull{running_ns});
}

std::string stream_line(const std::string &what, const tapir_ioc_stream &s) {
    return format(
        "ledger: %s: records %llu = delivered %llu + dropped %llu + left %llu; "
        "bytes %llu = delivered %llu + dropped %llu + left %llu%s\n",
        what.c_str(), ull{s.records_produced}, ull{s.records_delivered}, ull{s.records_dropped}, ull{left_records(s)},
        ull{s.bytes_produced}, ull{s.bytes_delivered}, ull{s.bytes_dropped}, ull{left_bytes(s)},
        stream_balanced(s) ? "" : " (DOES NOT BALANCE)");
}

tapir_ioc_stream sum_of(const std::vector<tapir_ioc_stream> &streams) {
    tapir_ioc_stream sum = {};
    for (const tapir_ioc_stream &s : streams) {
        sum.records_produced += s.records_produced;
        sum.records_dropped += s.records_dropped;
        sum.records_delivered += s.records_delivered;
        sum.bytes_produced += s.bytes_produced;
        sum.bytes_dropped += s.bytes_dropped;
        sum.bytes_delivered += s.bytes_delivered;
    }
    return sum;
}

std::string stream_json(const tapir_ioc_stream &s) {
    return format(
        "{\"stream\": \"%s\", \"cpu\": %u, "
        "\"records\": {\"produced\": %llu, \"delivered\": %llu, \"dropped\": %llu, \"left\": %llu}, "
        "\"bytes\": {\"produced\": %llu, \"delivered\": %llu, \"dropped\": %llu, \"left\": %llu}}",
        kStreamNames[s.stream], s.cpu, ull{s.records_produced}, ull{s.records_delivered}, ull{s.records_dropped},
        ull{left_records(s)}, ull{s.bytes_produced}, ull{s.bytes_delivered}, ull{s.bytes_dropped}, ull{left_bytes(s)});
}

template <typename T>
std::string json_list(const std::vector<T> &rows, std::string (*one)(const T &)) {
    std::string out = "[";
    for (size_t i = 0; i < rows.size(); i++)
        out += (i ? ",\n    " : "\n    ") + one(rows[i]);
    return out + (rows.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string probe_json(const tapir_ioc_probe &p) {
    std::string out =
        format("{\"point\": %s, \"where\": %s, \"attached\": %u, \"hits\": %llu, \"handled\": %llu, \"skipped\": {",
               json_string(ledger_text(p.point)).c_str(), json_string(ledger_text(p.where)).c_str(), p.attached,
               ull{p.hits}, ull{p.handled});
    for (unsigned i = 0; i < TAPIR_SKIPS; i++)
        if (i != TAPIR_SKIP_BUDGET || p.skipped[i])
            append(out, "%s\"%s\": %llu", i ? ", " : "", kSkipNames[i], ull{p.skipped[i]});
    out += "}";
    if (p.skipped[TAPIR_SKIP_BUDGET]) append(out, ", \"refused\": %llu", ull{p.refused});
    if (p.stretched) append(out, ", \"stretched\": %llu", ull{p.stretched});
    append(out,
           ", \"missed\": %llu, \"errors\": %llu, \"time_ns\": {\"hits\": %llu, \"min\": %llu, \"max\": %llu, \"sum\": "
           "%llu}, \"overhead_ns\": %llu}",
           ull{p.missed}, ull{p.errors}, ull{p.timed}, ull{p.time_min}, ull{p.time_max}, ull{p.time_sum},
           ull{overhead_of(p).ns()});
    return out;
}

Overhead overhead_of(const tapir_ioc_probe &p) {
    const double each = p.timed ? static_cast<double>(p.time_sum) / static_cast<double>(p.timed) : 0;
    // Probes that run before and after the others slow nothing down.
    if (!p.way_ns) return {};
    return {p.hits * p.way_ns, static_cast<uint64_t>(each * static_cast<double>(p.handled))};
}

std::string Ledger::overhead() const {
    Overhead sum;
    for (const tapir_ioc_probe &p : probes_)
        sum += overhead_of(p);
    if (!output_.running_ns || !sum.ns()) return {};
    const auto percent = [this](uint64_t ns) {
        const double share = 100.0 * static_cast<double>(ns) / static_cast<double>(output_.running_ns);
        return share < 0.05 ? std::string("< 0.1 %") : format("%.1f %%", share);
    };
    return "overhead: " + percent(sum.ns()) + " of one processor: handlers " + percent(sum.handlers_ns) +
           ", the way to them " + percent(sum.way_ns) + " (estimate)";
}

int Ledger::collect(Control &control, const tapir_ioc_hello &hello) {
    module_ = ledger_text(hello.name);
    probes_.clear();
    streams_.clear();
    for (uint32_t i = 0; i < hello.probes; i++) {
        tapir_ioc_probe probe = {};
        probe.index = i;
        if (int error = control.probe(probe)) return error;
        probes_.push_back(probe);
    }
    for (uint32_t cpu = 0; cpu < hello.cpus; cpu++) {
        for (uint32_t stream = 0; stream < TAPIR_STREAMS; stream++) {
            tapir_ioc_stream row = {};
            row.stream = stream;
            row.cpu = cpu;
            if (int error = control.stream(row)) return error;
            row.stream = stream;
            row.cpu = cpu;
            if (row.records_produced) streams_.push_back(row);
        }
    }
    has_calls_ = hello.flags & TAPIR_HELLO_CALLS;
    if (has_calls_)
        if (int error = control.calls(calls_)) return error;
    if (int error = control.cut(cut_)) return error;
    has_stacks_ = hello.flags & TAPIR_HELLO_STACKS;
    if (has_stacks_)
        if (int error = control.stacks(stacks_)) return error;
    has_user_stacks_ = hello.flags & TAPIR_HELLO_USER_STACKS;
    if (has_user_stacks_)
        if (int error = control.unwind_count(user_stacks_)) return error;
    return control.status(status_);
}

uint64_t Ledger::skipped() const {
    uint64_t sum = 0;
    for (const tapir_ioc_probe &p : probes_)
        sum += skipped_of(p) + p.missed;
    return sum;
}

uint64_t Ledger::records_dropped() const {
    return sum_of(streams_).records_dropped;
}

uint64_t Ledger::control_records_lost() const {
    uint64_t sum = 0;
    for (const tapir_ioc_stream &s : streams_)
        if (s.stream == TAPIR_STREAM_CONTROL) sum += s.records_dropped;
    return std::max<uint64_t>(sum, status_.warnings_lost);
}

bool Ledger::output_lost() const {
    return control_records_lost() || output_.bytes_lost || output_.bytes_damaged ||
           std::any_of(streams_.begin(), streams_.end(), stream_lost);
}

bool Ledger::balanced() const {
    if (output_.from_start && sum_of(streams_).bytes_delivered != output_.bytes_read) return false;
    return calls_balanced(calls_) && std::all_of(probes_.begin(), probes_.end(), probe_balanced) &&
           std::all_of(streams_.begin(), streams_.end(), stream_balanced);
}

std::string Ledger::text() const {
    std::string out;
    for (const tapir_ioc_probe &p : probes_)
        if (skipped_of(p) || p.missed || !probe_balanced(p)) out += probe_line(p);
    if (calls_.missed || !calls_balanced(calls_)) out += calls_line(calls_);
    for (const tapir_ioc_stream &s : streams_)
        if (stream_lost(s)) out += stream_line(format("stream %s of cpu %u", kStreamNames[s.stream], s.cpu), s);
    out += stream_line("all streams", sum_of(streams_));
    append(out,
           "ledger: staprun: read %llu bytes of records, %llu of them damaged; wrote %llu bytes of output, lost %llu\n",
           ull{output_.bytes_read}, ull{output_.bytes_damaged}, ull{output_.bytes_written}, ull{output_.bytes_lost});
    return out;
}

std::string Ledger::user_stacks() const {
    // Walks that asked for only a part of the stack got all of it.
    const uint64_t complete = user_stacks_.ends[TAPIR_UNWIND_COMPLETE] + user_stacks_.ends[TAPIR_UNWIND_CUT];
    uint64_t all = complete;
    std::string reasons;
    for (unsigned i = 0; i < TAPIR_UNWIND_ENDS; i++) {
        if (!user_stacks_.ends[i] || !kEndNames[i].text[0]) continue;
        all += user_stacks_.ends[i];
        append(reasons, "%s%llu ended %s", reasons.empty() ? "" : ", ", ull{user_stacks_.ends[i]}, kEndNames[i].text);
    }
    if (complete == all) return {};
    if (user_stacks_.refused)
        append(reasons, "; for %llu there was no room to wait for a table", ull{user_stacks_.refused});
    return format("user stacks: %llu of %llu complete; %s", ull{complete}, ull{all}, reasons.c_str());
}

std::string Ledger::cut() const {
    constexpr unsigned kMore = 4, kMost = 65536;  // the greatest that -D takes
    std::string out;
    if (cut_.strings) append(out, "%llu string%s", ull{cut_.strings}, cut_.strings == 1 ? "" : "s");
    if (cut_.stacks)
        append(out, "%s%llu stack%s", out.empty() ? "" : ", ", ull{cut_.stacks}, cut_.stacks == 1 ? "" : "s");
    if (out.empty()) return {};
    out = format("cut to MAXSTRINGLEN (%u): %s", cut_.string_cap, out.c_str());
    if (cut_.string_cap < kMost)
        append(out, "; -D MAXSTRINGLEN=%u gives more room", std::min(cut_.string_cap * kMore, kMost));
    return out;
}

std::string Ledger::recalls() const {
    if (!cut_.recalls) return {};
    return format("lost %llu event%s of @recall: more threads than have rings; -D MAXRECALLTHREADS=N gives more room",
                  ull{cut_.recalls}, cut_.recalls == 1 ? "" : "s");
}

std::string Ledger::stacks_refused() const {
    if (!stacks_.refused) return {};
    return format(
        "the table of stacks was full %llu times: %llu different ones took its %llu MB; --stack-memory=MB "
        "gives more room",
        ull{stacks_.refused}, ull{stacks_.kept}, ull{stacks_.most >> 20});
}

std::string Ledger::samples_lost() const {
    if (!cut_.samples) return {};
    return format("lost %llu sample%s: their array had no room, or got it too late; fewer samples need less room",
                  ull{cut_.samples}, cut_.samples == 1 ? "" : "s");
}

std::vector<std::string> Ledger::left_out() const {
    constexpr size_t kTold = 5;
    constexpr uint64_t kPart = 100;  // that is worth a word
    std::vector<const tapir_ioc_probe *> some;
    for (const tapir_ioc_probe &p : probes_)
        if (thinned(p)) some.push_back(&p);
    std::stable_sort(some.begin(), some.end(), [](const tapir_ioc_probe *a, const tapir_ioc_probe *b) {
        return a->skipped[TAPIR_SKIP_BUDGET] > b->skipped[TAPIR_SKIP_BUDGET];
    });
    std::vector<std::string> lines;
    uint64_t hits = 0, refused = 0;
    for (const tapir_ioc_probe *p : some) {
        hits += p->hits;
        refused += p->refused;
    }
    for (size_t i = 0; i < some.size() && i < kTold; i++) {
        const tapir_ioc_probe &p = *some[i];
        const double times = static_cast<double>(p.hits) / static_cast<double>(std::max<uint64_t>(p.handled, 1));
        const std::string probe = ledger_text(p.point) + " (" + ledger_text(p.where) + ")";
        lines.push_back(format("budget: %s: %llu of %llu hits were handled, one of %.4g", probe.c_str(), ull{p.handled},
                               ull{p.hits}, times));
        if (p.stretched) append(lines.back(), "; %llu came at a longer period", ull{p.stretched});
    }
    if (some.size() > kTold)
        lines.push_back(
            format("budget: %zu more probes had hits that were left out; --ledger=FILE has all", some.size() - kTold));
    if (!some.empty() && cut_.weighted)
        lines.push_back("budget: counts and sums of <<<, ++ and += are estimates (≈) of those of all hits" +
                        (refused * kPart > hits ? format(", but for %llu", ull{refused}) : ""));
    return lines;
}

std::string Ledger::summary() const {
    const auto count = [](uint64_t n) {
        char text[TAPIR_MEASURE_MAX];
        tapir_count_whole(text, n);
        return std::string(text);
    };
    const auto bytes = [](uint64_t n) {
        char text[TAPIR_MEASURE_MAX];
        const tapir_unit unit = tapir_unit_of("bytes");
        const tapir_screen plain = {};
        tapir_measure(text, &plain, &unit, n);
        return std::string(text);
    };
    uint64_t hits = 0, handled = 0, missed = 0;
    for (const tapir_ioc_probe &p : probes_) {
        hits += p.hits;
        handled += p.handled;
        missed += p.missed;
    }
    std::string out =
        "ledger: " + count(hits) + " hits = " + count(handled) + " handled + " + count(hits - handled) + " skipped; ";
    if (missed) out += count(missed) + " missed; ";
    const tapir_ioc_stream sum = sum_of(streams_);
    return out + bytes(output_.bytes_written) + " written, " +
           bytes(output_.bytes_lost + sum.bytes_dropped + left_bytes(sum)) + " lost";
}

SessionQuality Ledger::quality() const {
    SessionQuality quality;
    for (const tapir_ioc_probe &p : probes_)
        quality.hits += p.hits + p.missed;
    quality.lost_hits = skipped();
    quality.errors = errors();
    quality.lost_records = records_dropped();
    for (const tapir_ioc_stream &s : streams_)
        quality.lost_records += left_records(s);
    quality.cut_texts = cut_.strings + cut_.stacks;
    quality.complete_walks = user_stacks_.ends[TAPIR_UNWIND_COMPLETE] + user_stacks_.ends[TAPIR_UNWIND_CUT];
    for (unsigned i = TAPIR_UNWIND_COMPLETE; i < TAPIR_UNWIND_ENDS; i++)
        if (i <= TAPIR_UNWIND_CUT || kEndNames[i].text[0]) quality.walks += user_stacks_.ends[i];
    quality.refused_stacks = refused_stacks();
    quality.lost_samples = lost_samples();
    quality.lost_events = cut_.recalls;
    for (const tapir_ioc_probe &p : probes_) {
        quality.left_out += p.skipped[TAPIR_SKIP_BUDGET];
        quality.stretched += p.stretched;
    }
    const bool some = quality.left_out || quality.stretched;
    quality.estimated = some && cut_.weighted;
    quality.complete = !anything_lost() && !quality.lost_events && balanced() && !quality.errors &&
                       !quality.cut_texts && quality.walks == quality.complete_walks && !quality.refused_stacks &&
                       !quality.lost_samples && !some;
    return quality;
}

std::vector<std::string> Ledger::skip_reasons() const {
    std::vector<std::string> lines;
    uint64_t sums[TAPIR_SKIPS] = {};
    for (const tapir_ioc_probe &p : probes_)
        for (unsigned i = 0; i < TAPIR_SKIPS; i++)
            sums[i] += p.skipped[i];
    if (sums[TAPIR_SKIP_LOCK]) lines.push_back(format("Skipped due to lock timeout: %llu", ull{sums[TAPIR_SKIP_LOCK]}));
    if (sums[TAPIR_SKIP_STACK]) lines.push_back(format("Skipped due to low stack: %llu", ull{sums[TAPIR_SKIP_STACK]}));
    if (sums[TAPIR_SKIP_REENTRY])
        lines.push_back(format("Skipped due to reentrancy: %llu", ull{sums[TAPIR_SKIP_REENTRY]}));
    for (const tapir_ioc_probe &p : probes_)
        if (p.missed)
            lines.push_back(
                format("Skipped due to missed probe on '%s': %llu", ledger_text(p.point).c_str(), ull{p.missed}));
    return lines;
}

std::string Ledger::json() const {
    std::string out = format("{\n  \"module\": %s,\n  \"abi\": %u,\n", json_string(module_).c_str(), TAPIR_ABI);
    append(out, "  \"errors\": %llu,\n  \"fatal\": %s,\n  \"lost\": %s,\n  \"balanced\": %s,\n", ull{status_.errors},
           fatal() ? "true" : "false", anything_lost() ? "true" : "false", balanced() ? "true" : "false");
    out += "  \"probes\": " + json_list(probes_, probe_json) + ",\n";
    out += "  \"overhead\": " + overhead_json(probes_, output_.running_ns) + ",\n";
    if (has_calls_)
        append(out,
               "  \"calls\": {\"followed\": %llu, \"returned\": %llu, \"left\": %llu, \"inside\": %llu, "
               "\"missed\": %llu},\n",
               ull{calls_.followed}, ull{calls_.returned}, ull{calls_.left}, ull{calls_.inside}, ull{calls_.missed});
    append(out, "  \"cut\": {\"strings\": %llu, \"stacks\": %llu},\n", ull{cut_.strings}, ull{cut_.stacks});
    append(out, "  \"recall_lost\": %llu,\n", ull{cut_.recalls});
    if (has_stacks_)
        append(out,
               "  \"stacks\": {\"kept\": %llu, \"refused\": %llu, \"lost_samples\": %llu, \"used_bytes\": %llu, "
               "\"bytes\": %llu},\n",
               ull{stacks_.kept}, ull{stacks_.refused}, ull{cut_.samples}, ull{stacks_.used}, ull{stacks_.bytes});
    if (has_user_stacks_) {
        out += "  \"user_stacks\": {";
        for (unsigned i = TAPIR_UNWIND_COMPLETE; i < TAPIR_UNWIND_ENDS; i++)
            append(out, "\"%s\": %llu, ", kEndNames[i].key, ull{user_stacks_.ends[i]});
        append(out, "\"finished\": %llu, \"refused\": %llu, ", ull{user_stacks_.finished}, ull{user_stacks_.refused});
        append(out, "\"objects\": %u, \"tables\": %u, \"table_bytes\": %llu},\n", user_stacks_.objects,
               user_stacks_.tables, ull{user_stacks_.bytes});
    }
    out += "  \"streams\": " + json_list(streams_, stream_json) + ",\n";
    append(out,
           "  \"output\": {\"bytes_written\": %llu, \"bytes_lost\": %llu, \"record_bytes_read\": %llu, "
           "\"record_bytes_damaged\": %llu}\n}\n",
           ull{output_.bytes_written}, ull{output_.bytes_lost}, ull{output_.bytes_read}, ull{output_.bytes_damaged});
    return out;
}

}  // namespace tapir::staprun
