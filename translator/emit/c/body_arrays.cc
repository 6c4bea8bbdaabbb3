// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions on arrays and statistics, and loops over them.
#include <tapir/items.h>

#include "emit/c/body_writer.h"
#include "emit/c/initialiser.h"

namespace tapir::emit {

static std::string mask(const Inst &i) {
    uint32_t bits = 0;
    for (size_t k = 0; k < i.args.size(); k++)
        if (i.args[k]) bits |= 1u << k;
    return std::to_string(bits) + "u";
}

std::string weighted(const Inst &i, const std::string &delta) {
    return i.weighted ? "(s64)((u64)" + delta + " * tapir_weight(c))" : delta;
}

void BodyWriter::update_element(const Inst &i) {
    auto op = static_cast<ast::BinaryOp>(i.detail);
    std::string a = value(i.a);
    if (op == ast::BinaryOp::Add || op == ast::BinaryOp::Sub) {
        std::string delta = op == ast::BinaryOp::Add ? weighted(i, a) : "(s64)(0 - (u64)" + a + ")";
        if (x_.attempt) {
            line("return tapir_map_attempt_long(" + value(i.args[0]) + ", " + global(i) + ", " + delta + ");");
            return;
        }
        std::string text = i.access == Access::Locked ? "tapir_map_add_long_locked(c, " + descriptor(i) + ", k, " +
                                                            delta + ", " + site(i) + ")"
                           : i.access == Access::Atomic
                               ? "tapir_map_add_long_atomic(c, " + global(i) + ", k, " + delta + ", " + site(i) + ")"
                               : "tapir_map_add_long(c, " + global(i) + ", k, " + delta + ", " + site(i) + ")";
        if (!i.dst)
            with_keys(i, "(void)" + text + ";");
        else
            with_keys(i,
                      value(i.dst) + " = " + (i.old ? "(s64)((u64)" + text + " - (u64)" + delta + ");" : text + ";"));
        check(i);
        return;
    }
    std::string body = "s64 *e = tapir_map_slot_long(c, " + global(i) + ", k, " + site(i) +
                       ");\n\n\t\tif (!e)\n\t\t\tgoto " + label(i.on_error) + ";\n";
    if (i.dst && i.old) body += "\t\t" + value(i.dst) + " = *e;\n";
    body += "\t\t*e = " + operation(op, "*e", a, i.a) + ";";
    if (i.dst && !i.old) body += "\n\t\t" + value(i.dst) + " = *e;";
    with_keys(i, body);
}

bool BodyWriter::maps(const Inst &i) {
    std::string g = i.global >= 0 ? global(i) : "", a = value(i.a);
    bool locked = i.access == Access::Locked;
    switch (i.op) {
        case Op::MapGet:
            if (i.dst.is_string())
                with_keys(i, "tapir_map_get_string(" + g + ", k, " + value(i.dst) + ");");
            else if (locked)
                with_keys(i, set(i.dst, "tapir_map_get_long_locked(c, " + descriptor(i) + ", k)"));
            else
                with_keys(i, set(i.dst, "tapir_map_get_long(" + g + ", k)"));
            break;
        case Op::MapSet:
            if (i.a.is_string())
                with_keys(i, "tapir_map_set_string(c, " + g + ", k, " + a + ", " + site(i) + ");");
            else if (locked)
                with_keys(i, "tapir_map_set_long_locked(c, " + descriptor(i) + ", k, " + a + ", " + site(i) + ");");
            else
                with_keys(i, "tapir_map_set_long(c, " + g + ", k, " + a + ", " + site(i) + ");");
            break;
        case Op::MapUpdate:
            update_element(i);
            return true;
        case Op::MapHas:
            with_keys(i, set(i.dst, "tapir_map_contains(" + g + ", k)"));
            break;
        case Op::MapHasSlice:
            with_keys(i, set(i.dst, "tapir_map_contains_slice(c, " + g + ", k, " + mask(i) + ", " + site(i) + ")"));
            break;
        case Op::MapDelete:
            with_keys(i, "tapir_map_delete(c, " + g + ", k);");
            break;
        case Op::MapDeleteSlice:
            with_keys(i, "tapir_map_delete_slice(c, " + g + ", k, " + mask(i) + ", " + site(i) + ");");
            break;
        case Op::MapClear:
            line("tapir_map_clear(c, " + g + ", " + site(i) + ");");
            break;
        case Op::MapSample:
            if (x_.attempt) {
                line("return tapir_map_attempt_stat(" + value(i.args[0]) + ", " + x_.cpu + ", " + g + ", " + a + ");");
                break;
            }
            with_keys(i, std::string(i.weighted ? "tapir_map_add_stat_weighted" : "tapir_map_add_stat") + "(c, " + g +
                             ", k, " + a + ", " + site(i) + ");");
            break;
        default:
            return false;
    }
    check(i);
    return true;
}

// The arguments for merging a histogram: its description and the destination.
std::string BodyWriter::histogram(const Inst &i, int which) const {
    return "&" + global(i) + "_hists[" + std::to_string(which) + "], f->buckets" + std::to_string(i.dst.n) + ", ";
}

// Adds the work of the merge that follows, with a histogram unless `which` is negative.
void BodyWriter::merge_work(const Inst &i, int which) {
    const std::string g = global(i);
    line("tapir_work_add(c, tapir_merge_work(&" + g + "_stat, " +
         (which < 0 ? "0" : g + "_hists[" + std::to_string(which) + "].buckets") + "));");
}

void BodyWriter::print_histogram(const Inst &i) {
    uint32_t strings = 0;
    for (size_t k = 0; k < i.args.size(); k++)
        if (i.args[k].is_string()) strings |= 1u << k;
    const std::string name = m_.globals[static_cast<size_t>(i.global)].name;
    Initialiser title;
    title.value("unit", i.op == Op::HistShow ? value(i.b) : "\"\"")
        .text("name", name.substr(0, TAPIR_HISTOGRAM_NAME_BYTES - 1));
    title.number("nkeys", i.args.size()).number("strings", strings).number("is_row", int{i.detail});
    const std::string function = i.op == Op::HistShow ? "tapir_hist_show" : "tapir_hist_print";
    const std::string call = function + "(c, " + value(i.a) + ", &title, ";
    line("{");
    line("\tstatic const struct tapir_hist_title title = " + title.str() + ";");
    if (i.args.empty())
        line("\t" + call + "NULL, " + site(i) + ");");
    else
        with_keys(i, call + "k, " + site(i) + ");");
    line("}");
}

bool BodyWriter::statistics(const Inst &i) {
    std::string g = i.global >= 0 ? global(i) : "", a = value(i.a);
    switch (i.op) {
        case Op::Sample:
            if (i.weighted)
                line("tapir_stat_add_weighted(" + g + ", &" + g + "_stat, " + x_.cpu + ", " + a +
                     ", tapir_weight(c));");
            else
                line("tapir_stat_add(" + g + ", &" + g + "_stat, " + x_.cpu + ", " + a + ");");
            break;
        case Op::StatClear:
            line("tapir_work_add(c, tapir_clear_work(&" + g + "_stat));");
            line("tapir_stat_clear(" + g + ", &" + g + "_stat);");
            break;
        case Op::StatRead:
            merge_work(i, i.index);
            if (i.index < 0)
                line("tapir_stat_read(" + g + ", &" + g + "_stat, " + value(i.dst) + ");");
            else
                line("tapir_stat_read_hist(" + g + ", &" + g + "_stat, " + histogram(i, i.index) + value(i.dst) + ");");
            break;
        case Op::MapStatRead:
            merge_work(i, i.index);
            if (i.index < 0)
                with_keys(i, "(void)tapir_map_get_stat(" + g + ", k, " + value(i.dst) + ");");
            else
                with_keys(i, "(void)tapir_map_get_hist(" + g + ", k, " + histogram(i, i.index) + value(i.dst) + ");");
            break;
        case Op::StatExtract: {
            static const char *const names[] = {"count", "sum", "min", "max", "avg", "variance"};
            std::string name = names[i.detail];
            if (i.detail <= static_cast<uint8_t>(ast::StatOpKind::Sum))
                line(set(i.dst, "f->sum" + std::to_string(i.a.n) + "." + name));
            else
                line(set(i.dst, "tapir_stat_" + name + "(c, " + a + ", " + site(i) + ")"));
            break;
        }
        case Op::StatPercentile:
            line(set(i.dst, "tapir_stat_percentile(c, " + a + ", " + value(i.args[0]) + ", " + value(i.args[1]) + ", " +
                                site(i) + ")"));
            break;
        case Op::HistGet:
            line(set(i.dst, "tapir_hist_get(c, " + a + ", " + value(i.b) + ", " + site(i) + ")"));
            break;
        case Op::HistTable:
            line(i.detail == static_cast<uint8_t>(ast::Print::Table::Begin) ? "tapir_hist_table_begin(c);"
                                                                            : "tapir_hist_table_end(c);");
            break;
        case Op::HistPrint:
        case Op::HistShow:
            print_histogram(i);
            break;
        case Op::HistSprint:
            line("tapir_hist_sprint(c, " + value(i.dst) + ", " + a + ", " + (i.detail ? "true" : "false") + ", " +
                 site(i) + ");");
            break;
        default:
            return false;
    }
    check(i);
    return true;
}

bool BodyWriter::iteration(const Inst &i) {
    switch (i.op) {
        case Op::SnapshotsTake:
            line(set(i.dst, "tapir_snapshots_take(c, &snapshots" + std::to_string(i.index) + ", " + site(i) + ")"));
            check(i);
            return true;
        case Op::SnapshotsComplete:
            line("tapir_snapshots_complete(c, &snapshots" + std::to_string(i.index) + ", " + site(i) + ");");
            check(i);
            return true;
        case Op::SnapshotsDrop:
            line("if (" + value(i.a) + ") tapir_snapshots_drop(&snapshots" + std::to_string(i.index) + ");");
            return true;
        case Op::IterBegin: {
            static const char *const stats[] = {"COUNT", "SUM", "MIN", "MAX", "AVG", "COUNT"};
            std::string spec = "static const struct tapir_foreach spec = { ";
            spec += i.sort.direction == 0  ? "TAPIR_SORT_NONE"
                    : i.sort.direction > 0 ? "TAPIR_SORT_ASCENDING"
                                           : "TAPIR_SORT_DESCENDING";
            spec += ", " + std::to_string(i.sort.column) + ", TAPIR_SORT_" + stats[static_cast<int>(i.sort.stat)];
            spec += std::string(", ") + (i.a ? "1" : "0") + ", " + mask(i) + " };\n\n\t\t";
            std::string begin = i.b ? "(" + value(i.b) + " ? tapir_foreach_begin_snapshot : tapir_foreach_begin)"
                                    : "tapir_foreach_begin";
            begin += "(c, " + iterator(i) + ", " + global(i) + ", &spec, " + value(i.a) + ", " +
                     (i.args.empty() ? "NULL" : "k") + ", " + site(i) + ");";
            if (i.args.empty()) {
                line("{");
                line("\t" + spec + begin);
                line("}");
            } else {
                with_keys(i, spec + begin);
            }
            check(i);
            return true;
        }
        case Op::IterNext:
            if (i.on_error < 0) {
                line("if (!tapir_foreach_next(" + iterator(i) + ")) goto " + label(i.target) + ";");
                return true;
            }
            line("if (!tapir_foreach_next(" + iterator(i) + ")) {");
            line("\tif (TAPIR_UNLIKELY(c->failed)) goto " + label(i.on_error) + ";");
            line("\tgoto " + label(i.target) + ";");
            line("}");
            return true;
        case Op::IterKey:
            line(set(i.dst, std::string("tapir_foreach_key_") + (i.dst.is_string() ? "string(" : "long(") +
                                iterator(i) + ", " + std::to_string(i.detail) + ")"));
            return true;
        case Op::IterValue:
            line(set(i.dst, std::string("tapir_foreach_value_") + (i.dst.is_string() ? "string(" : "long(") +
                                iterator(i) + ")"));
            return true;
        case Op::IterStat:
            merge_work(i, i.detail - 1);
            if (!i.detail)
                line("tapir_foreach_value_stat(" + iterator(i) + ", " + value(i.dst) + ");");
            else
                line("tapir_foreach_value_hist(" + iterator(i) + ", " + histogram(i, i.detail - 1) + value(i.dst) +
                     ");");
            return true;
        default:
            return false;
    }
}

}  // namespace tapir::emit
