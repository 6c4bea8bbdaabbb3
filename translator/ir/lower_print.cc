// SPDX-License-Identifier: GPL-2.0-or-later
// The print family: constant parts become literals, adjacent literals one.
#include <tapir/items.h>

#include <algorithm>

#include "ir/lowerer.h"

namespace tapir::ir {

namespace {

using Conv = ast::FormatPiece::Conv;

void add_literal(Format &format, const std::string &text) {
    if (text.empty()) return;
    if (!format.empty() && format.back().conv == Conv::Literal) {
        format.back().literal += text;
        return;
    }
    FormatPiece piece;
    piece.literal = text;
    format.push_back(std::move(piece));
}

void add_conversion(Format &format, Conv conv) {
    FormatPiece piece;
    piece.conv = conv;
    format.push_back(std::move(piece));
}

// A constant printed plainly is text.
bool add_constant(Format &format, const ast::Expr &arg) {
    if (arg.kind == ast::ExprKind::String) {
        const std::string &text = static_cast<const ast::String &>(arg).value;
        add_literal(format, text.substr(0, text.find('\0')));
        return true;
    }
    if (arg.kind == ast::ExprKind::Number) {
        add_literal(format, std::to_string(static_cast<const ast::Number &>(arg).value));
        return true;
    }
    return false;
}

// The runtime puts these in front of an event's values: see TAPIR_FMT_RECALL.
void add_event_head(Format &format, const std::string &ring) {
    add_literal(format, ring + '\0');
    format.back().flag = ast::FormatPiece::Flag::Recall;
    for (size_t i = 0; i < TAPIR_RECALL_ARGS; ++i)
        add_conversion(format, Conv::Decimal);
}

// Exactly one conversion without flags, width and precision.
bool only(const Format &format, Conv conv) {
    FormatPiece plain;
    plain.conv = conv;
    return format.size() == 1 && format[0] == plain;
}

bool plain(const ast::FormatPiece &piece) {
    return piece.flag == ast::FormatPiece::Flag::None && !piece.width_from_arg && !piece.precision_from_arg &&
           !piece.width && !piece.precision;
}

// Other parts that may fail are in the arguments, which have been lowered.
bool reads_memory(const Format &format) {
    return std::ranges::any_of(
        format, [](const FormatPiece &p) { return p.conv == Conv::MemoryRaw || p.conv == Conv::MemoryHex; });
}

}  // namespace

Format BodyLowerer::print_format(const ast::Print &e, std::vector<const ast::Expr *> &args) {
    Format format;
    if (e.formatted) {
        size_t next = 0;
        // All values of a typed line are arguments.
        const bool is_typed = !e.row_of.empty() || e.event != ast::Print::Event::None;
        if (e.is_recall()) add_event_head(format, e.event_name);
        for (const ast::FormatPiece &piece : e.pieces) {
            if (piece.conv == Conv::Literal) {
                add_literal(format, piece.literal);
                if (piece.flag == ast::FormatPiece::Flag::Row || is_typed) format.back().flag = piece.flag;
                continue;
            }
            size_t values = 1u + piece.width_from_arg + piece.precision_from_arg;
            const ast::Expr &value = *e.args.at(next + values - 1);
            bool text = (piece.conv == Conv::String && value.kind == ast::ExprKind::String) ||
                        (piece.conv == Conv::Decimal && value.kind == ast::ExprKind::Number);
            if (is_typed || !(plain(piece) && text && add_constant(format, value))) {
                format.push_back({piece.conv,
                                  piece.flag,
                                  piece.width_from_arg,
                                  piece.precision_from_arg,
                                  piece.width,
                                  piece.precision,
                                  {}});
                for (size_t i = 0; i < values; i++)
                    args.push_back(e.args.at(next + i).get());
            }
            next += values;
        }
        return format;
    }
    bool first = true;
    for (const ast::ExprPtr &arg : e.args) {
        if (!first && e.delimited) add_literal(format, e.delimiter);
        first = false;
        if (!e.as_char && add_constant(format, *arg)) continue;
        add_conversion(format, e.as_char ? Conv::Char : arg->type == ast::Type::String ? Conv::String : Conv::Decimal);
        args.push_back(arg.get());
    }
    if (e.newline) add_literal(format, "\n");
    return format;
}

// With the keys of an element, if reading them twice is the same as once.
void BodyLowerer::print_histogram(const ast::Hist &hist, Value sum, bool is_row) {
    std::vector<const ast::Expr *> keys;
    if (hist.stat->kind == ast::ExprKind::Index) {
        keys = pointers(static_cast<const ast::Index &>(*hist.stat).keys);
        const auto is_plain = [](const ast::Expr *key) {
            return key->kind == ast::ExprKind::VarRef || key->kind == ast::ExprKind::Number ||
                   key->kind == ast::ExprKind::String;
        };
        if (!std::ranges::all_of(keys, is_plain)) keys.clear();
    }
    std::vector<Operand> operands = lower_all(keys);
    Inst &inst = hist.unit ? emit(Op::HistShow, {}, sum, m_.bytes(hist.measure())) : emit(Op::HistPrint, {}, sum);
    inst.global = m_.global(base_variable(*hist.stat));
    inst.args = values(operands);
    inst.detail = is_row;
    failing(inst, hist.at);
    release(operands);
}

// An event goes into a ring; a trigger has rings printed.
void BodyLowerer::event(const ast::Print &e) {
    if (e.event == ast::Print::Event::Recalled) {
        const std::vector<Operand> operands = lower_all(pointers(e.args));
        emit(Op::Recalled, {}, operands[0].value, operands[1].value);
        release(operands);
        return;
    }
    std::vector<const ast::Expr *> args;
    Format format = print_format(e, args);
    std::vector<Operand> operands = lower_all(args);
    Inst &inst = emit(Op::Recall);
    inst.index = m_.format(format);
    inst.detail = m_.ring({e.event_name, e.events, e.event == ast::Print::Event::RecallOfCpu}, e);
    inst.args = values(operands);
    release(operands);
}

void BodyLowerer::print(const ast::Print &e) {
    if (e.is_recall() || e.event == ast::Print::Event::Recalled) return event(e);
    if (e.table == ast::Print::Table::Begin || e.table == ast::Print::Table::End) {
        emit(Op::HistTable).detail = static_cast<uint8_t>(e.table);
        if (e.newline) emit(Op::PrintBytes, {}, m_.bytes("\n"));
        return;
    }
    if (e.args.size() == 1 && e.args[0]->kind == ast::ExprKind::Hist) {
        auto &hist = static_cast<const ast::Hist &>(*e.args[0]);
        Operand sum = read_stat(*hist.stat, &hist.shape);
        print_histogram(hist, sum.value, e.table == ast::Print::Table::Row);
        release(sum);
        if (e.newline) emit(Op::PrintBytes, {}, m_.bytes("\n"));
        return;
    }
    std::vector<const ast::Expr *> args;
    Format format = print_format(e, args);
    if (format.empty()) return;
    std::vector<Operand> operands = lower_all(args);
    if (format.size() == 1 && format[0].conv == Conv::Literal && format[0].flag != ast::FormatPiece::Flag::Row) {
        emit(Op::PrintBytes, {}, m_.bytes(format[0].literal));
    } else if (only(format, Conv::String)) {
        emit(Op::PrintString, {}, operands[0].value);
    } else if (only(format, Conv::Decimal)) {
        emit(Op::PrintLong, {}, operands[0].value);
    } else {
        Inst &inst = emit(Op::Printf);
        inst.index = m_.format(format);
        inst.args = values(operands);
        if (reads_memory(format)) failing(inst, e.at);
    }
    release(operands);
}

// sprint(@hist_log(s))
Operand BodyLowerer::sprint_histogram(const ast::Print &e, Value want) {
    auto &hist = static_cast<const ast::Hist &>(*e.args[0]);
    Operand sum = read_stat(*hist.stat, &hist.shape);
    Value dst = want ? want : take_buffer();
    Inst &inst = emit(Op::HistSprint, dst, sum.value);
    inst.detail = e.newline;
    failing(inst, hist.at);
    release(sum);
    return {dst, want ? std::vector<Value>{} : std::vector<Value>{dst}, {}};
}

Operand BodyLowerer::sprint(const ast::Print &e, Value want) {
    if (e.args.size() == 1 && e.args[0]->kind == ast::ExprKind::Hist) return sprint_histogram(e, want);
    std::vector<const ast::Expr *> args;
    Format format = print_format(e, args);
    if (format.empty()) return {m_.literal(""), {}, {}};
    if (format.size() == 1 && format[0].conv == Conv::Literal) return {m_.literal(format[0].literal), {}, {}};
    std::vector<Operand> operands = lower_all(args);
    if (only(format, Conv::String)) return operands[0];
    Value dst = want ? want : take_buffer();
    Inst &inst = emit(Op::Sprintf, dst);
    inst.index = m_.format(format);
    inst.args = values(operands);
    if (reads_memory(format)) failing(inst, e.at);
    release(operands);
    return {dst, want ? std::vector<Value>{} : std::vector<Value>{dst}, {}};
}

}  // namespace tapir::ir
