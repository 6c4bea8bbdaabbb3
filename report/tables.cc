// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables.h"

#include <tapir/items.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <regex>
#include <utility>

#include "capture/picture_files.h"

extern "C" {
#include "items/output_records.h"
#include "items/row_text.h"
}

namespace tapir::report {

namespace {

// A table as the module describes the format of its rows, with the rows that are wanted.
struct Wanted {
    const capture::Table *table = nullptr;
    std::string head;
    tapir_fmt piece = {};
    tapir_item_format format = {};
};

struct WantedRow {
    Wanted *of;
    const capture::TableRow *row;
    bool begins_block, after_other;
};

std::string with_nul(const std::string &text) {
    return std::string(text.c_str()) + '\0';
}

std::unique_ptr<Wanted> wanted(const capture::Table &table) {
    auto out = std::make_unique<Wanted>();
    out->table = &table;
    out->head = with_nul(table.name);
    for (const capture::Column &column : table.columns) {
        if (column.is_text) out->format.strings |= 1u << out->format.nargs;
        out->format.nargs++;
        out->head += with_nul(column.name) + with_nul(column.unit) + with_nul(column.subject);
    }
    out->piece.conv = TAPIR_CONV_LITERAL;
    out->piece.flags = TAPIR_FMT_TABLE;
    out->piece.literal = out->head.data();
    out->piece.literal_len = static_cast<decltype(out->piece.literal_len)>(out->head.size());
    out->format.pieces = &out->piece;
    out->format.npieces = 1;
    out->format.ends_line = 1;
    return out;
}

int64_t number_of(const std::string &cell) {
    int64_t number = 0;
    std::from_chars(cell.data(), cell.data() + cell.size(), number);
    return number;
}

// The row as the module sent it.
std::string item_of(const WantedRow &row) {
    std::string item(sizeof(u16), '\0');
    for (size_t i = 0; i < row.row->cells.size(); i++) {
        const std::string &cell = row.row->cells[i];
        if (row.of->table->columns[i].is_text) {
            item += with_nul(cell);
        } else {
            const int64_t number = number_of(cell);
            item.append(reinterpret_cast<const char *>(&number), sizeof number);
        }
    }
    return item;
}

class Rows {
  public:
    // Misuse.
    Outcome<void> choose(const capture::Capture &capture, const TableOptions &options);
    std::string text(const tapir_screen &screen) const;
    std::string records(tapir_form form) const;

  private:
    void filter(const TableOptions &options);
    Outcome<void> sort(const std::string &by);
    void limit(uint64_t top);
    // `keep` is asked for each row. Where the first row of a block goes, the next one begins it.
    template <typename Keep>
    void keep_where(Keep keep);

    std::vector<std::unique_ptr<Wanted>> tables_;
    std::vector<WantedRow> rows_;
};

template <typename Keep>
void Rows::keep_where(Keep keep) {
    std::vector<WantedRow> kept;
    bool begins = false, after = false;
    for (WantedRow &row : rows_) {
        begins |= row.begins_block;
        after |= row.after_other;
        if (!keep(row)) continue;
        row.begins_block = std::exchange(begins, false);
        row.after_other = std::exchange(after, false);
        kept.push_back(row);
    }
    rows_ = std::move(kept);
}

void Rows::filter(const TableOptions &options) {
    for (const std::string &pattern : options.match) {
        const std::regex regex(pattern, std::regex::ECMAScript | std::regex::nosubs | std::regex::optimize);
        keep_where([&](const WantedRow &row) {
            return std::any_of(row.row->cells.begin(), row.row->cells.end(),
                               [&](const std::string &cell) { return std::regex_search(cell, regex); });
        });
    }
}

// One row is in front of another by this column. Measures are largest first.
bool stands_before(const capture::Column &column, bool reversed, const std::string &a, const std::string &b) {
    if (column.is_text) return reversed ? b < a : a < b;
    return (column.unit == "id") != reversed ? number_of(a) < number_of(b) : number_of(b) < number_of(a);
}

// Table by table.
Outcome<void> Rows::sort(const std::string &by) {
    const bool reversed = by.starts_with('-');
    const std::string name = by.substr(reversed ? 1 : 0);
    std::vector<WantedRow> sorted;
    bool found = false;
    std::string columns;
    for (const auto &wanted : tables_) {
        size_t at = 0;
        for (; at < wanted->table->columns.size() && wanted->table->columns[at].name != name; at++)
            columns += (columns.empty() ? "" : ", ") + wanted->table->columns[at].name;
        const size_t first = sorted.size();
        for (const WantedRow &row : rows_)
            if (row.of == wanted.get()) sorted.push_back({row.of, row.row, false, false});
        if (sorted.size() > first) sorted[first].begins_block = sorted[first].after_other = true;
        if (at == wanted->table->columns.size()) continue;
        found = true;
        std::stable_sort(
            sorted.begin() + static_cast<ptrdiff_t>(first), sorted.end(), [&](const WantedRow &a, const WantedRow &b) {
                return stands_before(wanted->table->columns[at], reversed, a.row->cells[at], b.row->cells[at]);
            });
        for (size_t i = first; i < sorted.size(); i++)
            sorted[i].begins_block = sorted[i].after_other = i == first;
    }
    if (!found) return Fault{FaultTag::Misuse, "there is no column '" + name + "' (there are: " + columns + ")"};
    rows_ = std::move(sorted);
    return {};
}

void Rows::limit(uint64_t top) {
    std::map<const Wanted *, uint64_t> seen;
    keep_where([&](const WantedRow &row) { return seen[row.of]++ < top; });
}

Outcome<void> Rows::choose(const capture::Capture &capture, const TableOptions &options) {
    std::string names;
    for (const capture::Table &table : capture.tables) {
        names += (names.empty() ? "" : ", ") + table.name;
        if ((!options.name.empty() && table.name != options.name) || table.columns.empty()) continue;
        tables_.push_back(wanted(table));
        for (const capture::TableRow &row : table.rows)
            rows_.push_back({tables_.back().get(), &row, row.begins_block, row.after_other});
    }
    if (tables_.empty() && !options.name.empty())
        return Fault{FaultTag::Misuse,
                     "there is no table '" + options.name + "'" + (names.empty() ? "" : " (there are: " + names + ")")};
    std::sort(rows_.begin(), rows_.end(),
              [](const WantedRow &a, const WantedRow &b) { return a.row->number < b.row->number; });
    filter(options);
    if (!options.sort.empty())
        if (const Outcome<void> sorted = sort(options.sort); !sorted) return sorted.fault();
    if (options.top) limit(options.top);
    return {};
}

std::string Rows::text(const tapir_screen &screen) const {
    tapir_rows rows = {};
    std::string out;
    const auto end_block = [&] {
        size_t length = 0;
        char *text = tapir_rows_text(&rows, &screen, &length);
        if (text) out.append(text, length);
        std::free(text);
    };
    for (const WantedRow &row : rows_) {
        if (row.begins_block) end_block();
        if (row.after_other) tapir_rows_interrupt(&rows);
        const std::string item = item_of(row);
        if (tapir_rows_add(&rows, &screen, &row.of->format, item.data())) continue;
        end_block();
        tapir_rows_add(&rows, &screen, &row.of->format, item.data());
    }
    end_block();
    tapir_rows_forget(&rows);
    return out;
}

std::string Rows::records(tapir_form form) const {
    tapir_records records = {};
    records.form = form;
    records.many_tables = form == TAPIR_FORM_CSV && tables_.size() > 1;
    std::string out;
    for (const WantedRow &row : rows_) {
        const std::string item = item_of(row);
        records.stamp = {row.row->time, row.row->cpu};
        records.lines.used = 0;
        tapir_records_format(&records, &row.of->format, item.data(), "", 0);
        out.append(records.lines.text, records.lines.used);
    }
    tapir_records_free(&records);
    return out;
}

}  // namespace

Outcome<std::string> tables_text(const capture::Capture &capture, const TableOptions &options,
                                 const tapir_screen &screen) {
    Rows rows;
    if (const Outcome<void> chosen = rows.choose(capture, options); !chosen) return chosen.fault();
    if (options.form == "text") return rows.text(screen);
    return rows.records(options.form == "csv" ? TAPIR_FORM_CSV : TAPIR_FORM_JSON);
}

std::string rows_complaint(const capture::Capture &capture) {
    const uint64_t lost = capture.losses[static_cast<size_t>(capture::Loss::Output)];
    if (capture.how.empty())
        return "the capture is not sealed: " + (capture.damage.empty() ? "it has no end" : capture.damage) +
               "; rows at its end may be missing";
    if (lost)
        return capture::counted_text(lost, "record") +
               " of output got lost, and rows with them; a larger buffer "
               "(stap -s) keeps them";
    return "";
}

std::string form_of_file(const std::string &path) {
    if (path.ends_with(".csv")) return "csv";
    return path.ends_with(".json") || path.ends_with(".ndjson") ? "json" : "text";
}

}  // namespace tapir::report
