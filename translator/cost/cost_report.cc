// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/cost_report.h"

#include <tapir/wire.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cost/clock_rates.h"

namespace tapir::cost {
namespace {

using probes::Attach;

constexpr size_t kLedgerPoint = sizeof(tapir_ioc_probe::point);  // with a NUL

size_t places_of(const Attach &attach) {
    if (const auto *calls = std::get_if<probes::SyscallPlaces>(&attach.arg))
        return calls->every ? 1 : std::max<size_t>(calls->entries.size(), 1);
    size_t places = 0;
    for (const probes::FunctionSite &site : attach.sites)
        places += std::max<size_t>(site.exits.size(), 1);
    return std::max<size_t>(places, 1);
}

// Adds up attachments of one probe point.
class Rows {
  public:
    Rows(const Subject &subject, const Assumptions &assumptions)
        : subject_(subject),
          assumptions_(assumptions),
          ways_(subject.module),
          estimator_(subject.module, assumptions, subject.settings),
          inside_(subject.module, assumptions, subject.settings, Walk::Inside),
          returning_(subject.module, assumptions, subject.settings, Walk::Returning) {}

    std::vector<Row> take() {
        for (const ir::Handler &handler : subject_.module.handlers)
            if (!handler.is_entry)
                for (const Attach &attach : handler.attaches)
                    add(handler, attach);
        for (size_t i = 0; i < rows_.size(); ++i) {
            Row &row = rows_[i];
            const auto count = static_cast<double>(counts_[i]);
            row.around /= count;
            row.handler.typical /= count;
        }
        return std::move(rows_);
    }

  private:
    Range handler_of(const ir::Handler &handler, const Attach &attach) const {
        const Estimator &estimator = attach.kind == probes::Kind::Tracepoint       ? inside_
                                     : ways_.of(handler, attach) == Way::Uretprobe ? returning_
                                                                                   : estimator_;
        Range sum = estimator.handler(handler, attach.facts().attempts);
        if (handler.entry >= 0) sum += estimator_.handler(subject_.module.handlers[static_cast<size_t>(handler.entry)]);
        return sum;
    }

    void add(const ir::Handler &handler, const Attach &attach) {
        const Way way = ways_.of(handler, attach);
        const std::string &written = attach.written.empty() ? handler.point : attach.written;
        const auto [found, is_new] = numbers_.try_emplace(std::tuple(handler.where, written, way), rows_.size());
        const Range cost = handler_of(handler, attach);
        if (is_new) {
            rows_.push_back({written, {}, handler.where, way, 0, 0, {cost.least, 0, cost.most}, {}});
            counts_.push_back(0);
        }
        Row &row = rows_[found->second];
        counts_[found->second]++;
        row.points.push_back(attach.point);
        row.places += places_of(attach);
        row.around += ways_.around(handler, attach);
        row.handler.least = std::min(row.handler.least, cost.least);
        row.handler.typical += cost.typical;
        row.handler.most = std::max(row.handler.most, cost.most);
        const std::optional<double> rate = clock_rate(attach, subject_.settings, assumptions_.cpus, subject_.ticks);
        if (rate) row.hits = row.hits.value_or(0) + *rate;
    }

    const Subject &subject_;
    const Assumptions &assumptions_;
    Ways ways_;
    Estimator estimator_, inside_, returning_;
    std::vector<Row> rows_;
    std::vector<size_t> counts_;  // attachments of each
    std::map<std::tuple<std::string, std::string, Way>, size_t> numbers_;
};

// "FILE:LINE:COLUMN" without the directories, which differ between machines.
std::string_view place_of(std::string_view where) {
    return where.substr(where.rfind('/') + 1);
}

// How well a rate fits a row: 3 point and place of the handler, 2 point, 1 the point as written, 0 not. A ledger has
// the first bytes of a long point.
int fit(const Row &row, const Rate &rate) {
    const bool cut = rate.point.size() + 1 >= kLedgerPoint;
    const bool point = std::any_of(row.points.begin(), row.points.end(), [&](const std::string &p) {
        return p == rate.point || (cut && p.starts_with(rate.point));
    });
    if (point) return place_of(rate.where) == place_of(row.where) ? 3 : 2;
    return row.point == rate.point ? 1 : 0;
}

void set_rates(Report &report, const std::vector<Rate> &rates) {
    std::vector<std::optional<double>> given(report.rows.size());
    for (const Rate &rate : rates) {
        size_t best = 0;
        int how = 0;
        for (size_t i = 0; i < report.rows.size(); ++i)
            if (const int here = fit(report.rows[i], rate); here > how) how = here, best = i;
        if (how == 0) {
            report.unused.push_back(rate.point);
            continue;
        }
        given[best] = given[best].value_or(0) + rate.hits;
    }
    for (size_t i = 0; i < report.rows.size(); ++i)
        if (given[i]) report.rows[i].hits = given[i];
}

}  // namespace

bool Report::has_rates() const {
    return std::any_of(rows.begin(), rows.end(), [](const Row &row) { return row.hits && row.way != Way::None; });
}

Range Report::per_second() const {
    Range sum;
    for (const Row &row : rows) {
        if (!row.hits || row.way == Way::None) continue;
        const Range each = row.each();
        sum += {each.least * *row.hits, each.typical * *row.hits, each.most * *row.hits};
    }
    return sum;
}

Report make_report(const Subject &subject, const Assumptions &assumptions, const std::vector<Rate> &rates) {
    Report report;
    report.assumptions = assumptions;
    report.rows = Rows(subject, assumptions).take();
    report.given = !rates.empty();
    set_rates(report, rates);
    return report;
}

}  // namespace tapir::cost
