// SPDX-License-Identifier: GPL-2.0-or-later
// One body's instructions as C statements: body.cc, and body_arrays.cc for arrays and statistics. Private to emit/.
#pragma once

#include <string>

#include "emit/c/writer.h"

namespace tapir::emit {

using ir::Access;
using ir::Inst;
using ir::Op;
using ir::Value;
using ir::ValueKind;

class BodyWriter {
  public:
    BodyWriter(const ir::Module &module, const ir::Body &body, const BodyContext &context)
        : m_(module), body_(body), x_(context) {}
    BodyText write();

  private:
    void line(const std::string &text) { out_ += "\t" + text + "\n"; }
    void statement(const Inst &i);
    bool arithmetic(const Inst &i);
    bool strings(const Inst &i);
    bool scalars(const Inst &i);
    bool maps(const Inst &i);
    bool statistics(const Inst &i);
    void print_histogram(const Inst &i);
    std::string histogram(const Inst &i, int which) const;
    bool iteration(const Inst &i);
    bool printing(const Inst &i);
    void print_item(const Inst &i);
    bool limits(const Inst &i);
    void control(const Inst &i);

    std::string value(const Value &v) const;
    std::string set(const Value &dst, const std::string &text) const {
        return dst ? value(dst) + " = " + text + ";" : text + ";";
    }
    std::string global(int n) const { return global_name(m_, n); }
    std::string global(const Inst &i) const { return global(i.global); }
    std::string descriptor(const Inst &i) const { return "&tapir_globals[" + std::to_string(i.global) + "]"; }
    std::string site(const Inst &i) const {
        return i.site < 0 ? "NULL" : "&tapir_sites[" + std::to_string(i.site) + "]";
    }
    std::string label(int n) const { return "L" + std::to_string(n); }
    std::string iterator(const Inst &i) const { return "&f->it" + std::to_string(i.index); }
    void merge_work(const Inst &i, int which);
    void text_work(const Value &text);
    // "c" or, without one, what leaf code may pass.
    std::string context() const { return x_.context; }
    static std::string operation(ast::BinaryOp op, const std::string &a, const std::string &b, const Value &divisor);
    // `text` with the operation's keys in an array "k".
    void with_values(const Inst &i, const std::string &name, const std::string &text);
    void with_keys(const Inst &i, const std::string &text) {
        with_values(i, "k", text);
        for (const Value &key : i.args)
            text_work(key);
    }
    void check(const Inst &i) {
        if (i.on_error >= 0) line("if (TAPIR_UNLIKELY(c->failed)) goto " + label(i.on_error) + ";");
    }
    void update_element(const Inst &i);
    bool hits(const Inst &i);
    std::string slot(const Inst &i) const {
        return "(c->saved + " + saved_offset(*x_.saved, static_cast<size_t>(i.index)) + ")";
    }
    void call(const Inst &i);
    void pass_on(const Inst &i);
    std::string declarations() const;

    const ir::Module &m_;
    const ir::Body &body_;
    const BodyContext &x_;
    std::string out_;
};

}  // namespace tapir::emit
