// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

#include "common/plain_text.h"
#include "session_ledger.h"

extern "C" {
#include "items/table.h"
}

namespace tapir::staprun {

using ull = unsigned long long;

int collect_locks(Control &control, uint32_t globals, std::vector<tapir_ioc_lock> &out) {
    for (uint32_t i = 0; i < globals; i++) {
        tapir_ioc_lock lock = {};
        lock.index = i;
        if (int error = control.lock(lock)) return error;
        out.push_back(lock);
    }
    return 0;
}

std::string timing_report(const std::vector<tapir_ioc_probe> &probes, const std::vector<tapir_ioc_lock> &locks) {
    std::string out = "----- probe hit report: \n";
    for (size_t i = 0; i < probes.size(); i++) {
        const tapir_ioc_probe &p = probes[i];
        if (p.handled == 0) continue;
        append(out, "%.*s, (%.*s), hits: %llu, nsecs: %llumin/%lluavg/%llumax, index: %zu\n",
               static_cast<int>(sizeof p.point), p.point, static_cast<int>(sizeof p.where), p.where, ull{p.handled},
               ull{p.time_min}, ull{p.time_sum / std::max<uint64_t>(p.timed, 1)}, ull{p.time_max}, i);
    }
    for (const tapir_ioc_lock &lock : locks) {
        if (lock.contended)
            append(out, "'%.*s' lock contention occurred %llu times\n", static_cast<int>(sizeof lock.name), lock.name,
                   ull{lock.contended});
    }
    return out;
}

namespace {

// Returns `text` without the part between `from` and the last '/'.
std::string without_folder(std::string text, size_t from) {
    const size_t slash = text.rfind('/');
    if (slash != std::string::npos && slash >= from) text.erase(from, slash + 1 - from);
    return text;
}

std::string where_of(const tapir_ioc_probe &p) {
    return std::string(p.where, strnlen(p.where, sizeof p.where));
}

// kernel.function("vfs_read@read_write.c:450"): without the folders where the kernel was built.
std::string short_point(const tapir_ioc_probe &p) {
    std::string point(p.point, strnlen(p.point, sizeof p.point));
    const size_t at = point.find('@');
    return at == std::string::npos ? point : without_folder(std::move(point), at + 1);
}

// Names folders only where two scripts would look the same without.
bool needs_folders(const std::vector<tapir_ioc_probe> &probes) {
    std::map<std::string, std::string> files;
    return std::any_of(probes.begin(), probes.end(), [&files](const tapir_ioc_probe &p) {
        const std::string where = where_of(p), file = where.substr(0, where.find(':'));
        return files.emplace(without_folder(file, 0), file).first->second != file;
    });
}

class TimingTable {
  public:
    TimingTable(uint64_t running_ns, bool folders, const tapir_screen &screen)
        : running_ns_(running_ns), folders_(folders), screen_(screen) {
        constexpr std::pair<const char *, tapir_column> kColumns[] = {
            {"PROBE", TAPIR_COLUMN_NAME},    {"WHERE", TAPIR_COLUMN_NAME},        {"HITS", TAPIR_COLUMN_NUMBER},
            {"MISSED", TAPIR_COLUMN_NUMBER}, {"MIN", TAPIR_COLUMN_EXTRA},         {"MEAN", TAPIR_COLUMN_NUMBER},
            {"MAX", TAPIR_COLUMN_NUMBER},    {"SHARE OF CPU", TAPIR_COLUMN_EXTRA}};
        for (const auto &[head, kind] : kColumns)
            tapir_table_column(&table_, kind, head);
    }
    ~TimingTable() { tapir_table_free(&table_); }
    TimingTable(const TimingTable &) = delete;
    TimingTable &operator=(const TimingTable &) = delete;

    void add(const tapir_ioc_probe &p) {
        const uint64_t missed = std::accumulate(std::begin(p.skipped), std::end(p.skipped), p.missed);
        if (p.handled == 0 && missed == 0) return;
        const std::string point = short_point(p), where = where_of(p);
        cell(point);
        cell(folders_ ? where : without_folder(where, 0));
        cell(count(p.handled));
        cell(count(missed));
        for (uint64_t ns : {p.time_min, p.timed ? p.time_sum / p.timed : 0, p.time_max})
            cell(p.timed ? time(ns) : "");
        cell(share(p));
    }

    std::string text() const {
        char *text = nullptr;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        if (!out) return {};
        tapir_table_print(&table_, &screen_, out);
        fclose(out);
        const std::string copy(text, length);
        free(text);
        return copy;
    }

  private:
    void cell(const std::string &text) { tapir_table_cell(&table_, text.c_str()); }

    static std::string count(uint64_t n) {
        char text[TAPIR_MEASURE_MAX];
        tapir_count_whole(text, n);
        return text;
    }

    std::string time(uint64_t ns) const {
        char text[TAPIR_MEASURE_MAX];
        const tapir_unit unit = tapir_unit_of("ns");
        tapir_measure(text, &screen_, &unit, ns);
        return text;
    }

    // The share of one processor's time while probes were armed; "" for probes that run before or after.
    std::string share(const tapir_ioc_probe &p) const {
        if (!running_ns_ || !p.way_ns) return {};
        const double share = 100.0 * static_cast<double>(overhead_of(p).ns()) / static_cast<double>(running_ns_);
        return share > 0 && share < 0.05 ? "< 0.1 %" : format("%.1f %%", share);
    }

    uint64_t running_ns_;
    bool folders_;
    tapir_screen screen_;
    tapir_table table_ = {};
};

}  // namespace

std::string timing_table(const std::vector<tapir_ioc_probe> &probes, const std::vector<tapir_ioc_lock> &locks,
                         uint64_t running_ns, const tapir_screen &screen) {
    TimingTable table(running_ns, needs_folders(probes), screen);
    for (const tapir_ioc_probe &p : probes)
        table.add(p);
    std::string out = table.text();
    if (out.empty()) return out;
    for (const tapir_ioc_lock &lock : locks)
        if (lock.contended)
            append(out, "lock of %.*s: %llu waits\n", static_cast<int>(sizeof lock.name), lock.name,
                   ull{lock.contended});
    return out;
}

}  // namespace tapir::staprun
