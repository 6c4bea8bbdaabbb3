// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions as C statements.
#include <tapir/items.h>

#include <set>

#include "emit/c/body_writer.h"
#include "ir/reckon.h"

namespace tapir::emit {

std::string BodyWriter::value(const Value &v) const {
    std::string n = std::to_string(v.n);
    switch (v.kind) {
        case ValueKind::None:
            return "0";
        case ValueKind::Int:
            return constant(v.n);
        case ValueKind::Reg:
            return "r" + n;
        case ValueKind::Literal:
            return c_string(m_.literals[static_cast<size_t>(v.n)]);
        case ValueKind::Buffer:
            return "f->s" + n;
        case ValueKind::Pointer:
            return "p" + n;
        case ValueKind::Global:
            return global(static_cast<int>(v.n));
        case ValueKind::Result:
            return "result";
        case ValueKind::Sum:
            return "&f->sum" + n;
    }
    return {};
}

// Wraps like the machine, without C's undefined cases. The divisor is not 0.
std::string BodyWriter::operation(ast::BinaryOp op, const std::string &a, const std::string &b, const Value &divisor) {
    auto wrap = [&](const char *sign) { return "(s64)((u64)" + a + " " + sign + " (u64)" + b + ")"; };
    bool plain_division = divisor.kind == ValueKind::Int && divisor.n != -1;
    switch (op) {
        case ast::BinaryOp::Add:
            return wrap("+");
        case ast::BinaryOp::Sub:
            return wrap("-");
        case ast::BinaryOp::Mul:
            return wrap("*");
        case ast::BinaryOp::Div:
            if (plain_division) return a + " / " + b;
            return b + " == -1 ? (s64)(0 - (u64)" + a + ") : " + a + " / " + b;
        case ast::BinaryOp::Mod:
            if (plain_division) return a + " % " + b;
            return b + " == -1 ? 0 : " + a + " % " + b;
        case ast::BinaryOp::And:
            return a + " & " + b;
        case ast::BinaryOp::Or:
            return a + " | " + b;
        case ast::BinaryOp::Xor:
            return a + " ^ " + b;
        case ast::BinaryOp::Shl:
            return "(s64)((u64)" + a + " << (" + b + " & 63))";
        case ast::BinaryOp::Shr:
            return a + " >> (" + b + " & 63)";
        case ast::BinaryOp::ShrLogical:
            return "(s64)((u64)" + a + " >> (" + b + " & 63))";
    }
    return {};
}

void BodyWriter::with_values(const Inst &i, const std::string &name, const std::string &text) {
    std::string values;
    for (const Value &v : i.args) {
        if (!values.empty()) values += ", ";
        values += v && v.is_string() ? "{ .s = " + value(v) + " }" : "{ .n = " + value(v) + " }";
    }
    line("{");
    line("\tconst union tapir_val " + name + "[] = { " + values + " };");
    line("\t" + text);
    line("}");
}

static const char *compare_sign(uint8_t op) {
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    return signs[op];
}

bool BodyWriter::arithmetic(const Inst &i) {
    std::string a = value(i.a), b = value(i.b);
    switch (i.op) {
        case Op::Move:
            line(set(i.dst, a));
            return true;
        case Op::Neg:
            line(set(i.dst, "(s64)(0 - (u64)" + a + ")"));
            return true;
        case Op::Not:
            line(set(i.dst, "!" + a));
            return true;
        case Op::Complement:
            line(set(i.dst, "~" + a));
            return true;
        case Op::Binary:
            line(set(i.dst, operation(static_cast<ast::BinaryOp>(i.detail), a, b, i.b)));
            return true;
        case Op::Compare:
            line(set(i.dst, a + " " + compare_sign(i.detail) + " " + b));
            return true;
        case Op::CheckDivisor:
            line("if (TAPIR_UNLIKELY(" + a + " == 0)) {");
            line("\ttapir_error_div0(c, " + site(i) + ");");
            line("\tgoto " + label(i.on_error) + ";");
            line("}");
            return true;
        default:
            return false;
    }
}

// Where strings may be long, adds the bytes gone through to the handler's work.
void BodyWriter::text_work(const Value &text) {
    if (m_.limits.string_capacity > ir::kUsualString && context() != "NULL" && text && text.is_string() &&
        text.kind != ValueKind::Literal)
        line("tapir_work_add_text(c, " + value(text) + ");");
}

bool BodyWriter::strings(const Inst &i) {
    auto literal = [&](const Value &v) -> const std::string * {
        return v.kind == ValueKind::Literal ? &m_.literals[static_cast<size_t>(v.n)] : nullptr;
    };
    std::string dst = i.dst ? value(i.dst) : "", a = value(i.a), b = value(i.b);
    switch (i.op) {
        case Op::Copy:
            if (const std::string *text = literal(i.a)) {
                if (text->empty())
                    line(dst + "[0] = 0;");
                else
                    line("__builtin_memcpy(" + dst + ", " + a + ", " + std::to_string(text->size() + 1) + ");");
            } else {
                line("tapir_str_copy(" + dst + ", " + a + ", MAXSTRINGLEN);");
                text_work(i.dst);
            }
            return true;
        case Op::Concat:
            line("tapir_str_concat(" + dst + ", " + a + ", " + b + ", MAXSTRINGLEN);");
            text_work(i.dst);
            return true;
        case Op::Append:
            line("tapir_str_append(" + dst + ", " + a + ", MAXSTRINGLEN);");
            text_work(i.dst);
            return true;
        case Op::Point:
            line(dst + " = " + a + ";");
            return true;
        case Op::StrCompare: {
            bool equality = i.detail >= static_cast<uint8_t>(ast::CompareOp::Eq);
            const std::string *right = literal(i.b);
            if (equality && right && right->empty())
                line(set(i.dst, a + "[0] " + compare_sign(i.detail) + " 0"));
            else
                line(set(i.dst,
                         "tapir_str_compare(" + a + ", " + b + ", MAXSTRINGLEN) " + compare_sign(i.detail) + " 0"));
            if (!right && !literal(i.a)) text_work(i.a);
            return true;
        }
        case Op::RegexMatch: {
            std::string re = "&regex" + std::to_string(i.index);
            line(set(i.dst, m_.regex_groups       ? "tapir_regex_search(c, " + re + ", " + a + ", MAXSTRINGLEN)"
                            : context() == "NULL" ? "tapir_regex_matches(" + re + ", " + a + ", MAXSTRINGLEN, NULL)"
                                                  : "tapir_regex_test(c, " + re + ", " + a + ", MAXSTRINGLEN)"));
            return true;
        }
        default:
            return false;
    }
}

bool BodyWriter::scalars(const Inst &i) {
    bool atomic = i.access == Access::Atomic;
    auto op = static_cast<ast::BinaryOp>(i.detail);
    switch (i.op) {
        case Op::Load:
            line(set(i.dst, atomic ? "__atomic_load_n(&" + global(i) + ", __ATOMIC_RELAXED)" : global(i)));
            return true;
        case Op::Store:
            line(atomic ? "__atomic_store_n(&" + global(i) + ", " + value(i.a) + ", __ATOMIC_RELAXED);"
                        : global(i) + " = " + value(i.a) + ";");
            return true;
        case Op::Update: {
            if (!atomic) {
                if (i.dst && i.old) line(set(i.dst, global(i)));
                line(global(i) + " = " + operation(op, global(i), weighted(i, value(i.a)), i.a) + ";");
                if (i.dst && !i.old) line(set(i.dst, global(i)));
                return true;
            }
            const char *name = op == ast::BinaryOp::Add   ? "add"
                               : op == ast::BinaryOp::Sub ? "sub"
                               : op == ast::BinaryOp::Or  ? "or"
                               : op == ast::BinaryOp::And ? "and"
                                                          : "xor";
            std::string function =
                i.old || !i.dst ? std::string("__atomic_fetch_") + name : std::string("__atomic_") + name + "_fetch";
            std::string text = function + "(&" + global(i) + ", " + weighted(i, value(i.a)) + ", __ATOMIC_RELAXED)";
            line(i.dst ? set(i.dst, text) : "(void)" + text + ";");
            return true;
        }
        default:
            return false;
    }
}

// An item costs less where its parts are inline. That is code, so only where they are few.
static constexpr size_t most_arguments_inline = 6;

void BodyWriter::print_item(const Inst &i) {
    const std::string number = "number" + std::to_string(i.index);
    const std::string whole = "tapir_print(c, &tapir_formats[" + number + "], ";
    if (i.args.empty() || i.args.size() > most_arguments_inline) {
        if (i.args.empty())
            line(whole + "NULL);");
        else
            with_values(i, "v", whole + "v);");
        return;
    }
    std::string parts = "tapir_item_open(c, " + number + ", " + std::to_string(i.args.size()) + "u, &p, &end)";
    for (const Value &v : i.args)
        parts += v && v.is_string() ? " && tapir_item_add_text(&p, " + value(v) + ", end)"
                                    : " && tapir_item_add_number(&p, " + value(v) + ")";
    line("{");
    line("\tconst char *end;");
    line("\tchar *p;");
    line("\tif (TAPIR_UNLIKELY(!(" + parts + " && tapir_item_close(c, p))))");
    with_values(i, "v", whole + "v);");
    line("}");
}

bool BodyWriter::printing(const Inst &i) {
    std::string format = "format" + std::to_string(i.index);
    std::string tail =
        "sizeof(" + format + ") / sizeof(*" + format + "), " + (i.args.empty() ? "NULL" : "v") + ", " + site(i) + ");";
    auto emit_text = [&](const std::string &text) {
        if (i.args.empty())
            line(text);
        else
            with_values(i, "v", text);
    };
    switch (i.op) {
        case Op::PrintBytes:
            line("tapir_print_bytes(c, " + value(i.a) + ", " +
                 std::to_string(m_.literals[static_cast<size_t>(i.a.n)].size()) + ");");
            break;
        case Op::PrintString:
            line("tapir_print_string(c, " + value(i.a) + ");");
            break;
        case Op::PrintLong:
            line("tapir_print_long(c, " + value(i.a) + ");");
            break;
        case Op::Printf:
            if (left_to_loader(m_, i.index))
                print_item(i);
            else
                emit_text("tapir_printf(c, " + format + ", " + tail);
            break;
        case Op::Recall: {
            const std::string ring = std::to_string(i.detail);
            std::string arguments = "number" + std::to_string(i.index);
            for (size_t n = 0; n < TAPIR_RECALL_VALUES; n++)
                arguments += ", " + (n < i.args.size() ? value(i.args[n]) : "0");
            line(std::string(m_.rings[i.detail].of_cpu ? "tapir_port_recall_of_cpu" : "tapir_port_recall") +
                 "(tapir_ring" + ring + ", " + arguments + ");");
            break;
        }
        case Op::Recalled:
            if (!m_.rings.empty()) line("tapir_recalled(c, " + value(i.a) + ", " + value(i.b) + ");");
            break;
        case Op::Sprintf:
            emit_text("tapir_sprintf(c, " + value(i.dst) + ", MAXSTRINGLEN, " + format + ", " + tail);
            break;
        default:
            return false;
    }
    check(i);
    return true;
}

void BodyWriter::call(const Inst &i) {
    const ir::Function &callee = m_.functions[static_cast<size_t>(i.index)];
    std::string args = context();
    if (callee.syscall_here) args += x_.attempt ? ", place" : ", tapir_syscall_here(c)";
    if (callee.has_next) {
        line(value(i.next) + " = 0;");
        args += ", &" + value(i.next);
    }
    if (callee.result == ast::Type::String && !callee.borrowed) args += ", " + value(i.dst);
    bool writable = callee.embedded && callee.writes_args;
    for (const Value &v : i.args)
        args += std::string(", ") + (writable && v.is_string() ? "(char *)" : "") + value(v);
    std::string text = function_name(m_, i.index) + "(" + args + ")";
    const bool returns = callee.result == ast::Type::Long || callee.borrowed;
    line(returns && i.dst ? set(i.dst, text) : text + ";");
    if (callee.embedded) {
        for (const Value &v : i.args)
            text_work(v);
        if (!callee.borrowed) text_work(i.dst);
    }
    if (i.on_error >= 0) pass_on(i);
}

// An error that came out of a call continues from here.
void BodyWriter::pass_on(const Inst &i) {
    line("if (TAPIR_UNLIKELY(c->failed)) {");
    line("\ttapir_call_failed(c, " + site(i) + ");");
    line("\tgoto " + label(i.on_error) + ";");
    line("}");
}

void BodyWriter::control(const Inst &i) {
    std::string a = value(i.a);
    switch (i.op) {
        case Op::Label:
            out_ += label(i.target) + ":;\n";
            break;
        case Op::Jump:
            line("goto " + label(i.target) + ";");
            break;
        case Op::JumpIf:
            line("if (" + a + ") goto " + label(i.target) + ";");
            break;
        case Op::JumpUnless:
            line("if (!" + a + ") goto " + label(i.target) + ";");
            break;
        case Op::Call:
            call(i);
            break;
        case Op::SetNext:
            line("*next = 1;");
            break;
        case Op::EmbeddedStmt:
            line("snippet" + std::to_string(i.index) + "(c);");
            pass_on(i);
            break;
        case Op::EmbeddedExpr: {
            const ir::Snippet &s = m_.snippets[static_cast<size_t>(i.index)];
            if (s.constant) {
                line(set(i.dst, "(s64)(" + placed_code(s.at, s.code, 0) + ")"));
                break;
            }
            line(set(i.dst, "0"));
            line("snippet" + std::to_string(i.index) + "(c, &" + value(i.dst) + ");");
            pass_on(i);
            break;
        }
        case Op::Raise:
            line("tapir_error(c, " + site(i) + ", " + a + ");");
            line("goto " + label(i.on_error) + ";");
            break;
        case Op::Catch:
            line("if (!tapir_error_catch(c, " + (i.dst ? value(i.dst) : std::string("NULL")) +
                 ", MAXSTRINGLEN)) goto " + label(i.target) + ";");
            break;
        case Op::LocksTake:
            line("if (!tapir_locks_take(c, &" + x_.lockset + ")) goto " + label(i.target) + ";");
            break;
        case Op::Send:
            line("tapir_output_flush(c);");
            break;
        case Op::LocksDrop:
            line("tapir_locks_drop(c, &" + x_.lockset + ");");
            break;
        case Op::CheckCondition:
            line("tapir_condition_check(&tapir_conditions[" + std::to_string(i.index) + "], condition" +
                 std::to_string(i.index) + "());");
            break;
        default:
            break;
    }
}

// Operations on the handler's limits.
bool BodyWriter::limits(const Inst &i) {
    const std::string a = value(i.a);
    switch (i.op) {
        case Op::Charge:
            line("c->budget -= " + a + ";");
            line("if (TAPIR_UNLIKELY(c->budget <= 0) && tapir_actions_spent(c, " + site(i) + ")) goto " +
                 label(i.on_error) + ";");
            return true;
        case Op::Afford:
            line("if (TAPIR_UNLIKELY(c->budget < " + a + ") && tapir_actions_lacking(c, " + a + ", " + site(i) +
                 ")) goto " + label(i.on_error) + ";");
            return true;
        case Op::Work:
            if (i.a.n > 0) line("c->work -= " + a + ";");
            line("if (TAPIR_UNLIKELY(c->work < 0) && tapir_work_spent(c, " + site(i) + ")) goto " + label(i.on_error) +
                 ";");
            return true;
        case Op::Spare:
            line("c->spare -= " + a + ";");
            line("if (TAPIR_UNLIKELY(c->spare <= 0) && tapir_spare_spent(c, " + site(i) + ")) goto " +
                 label(i.on_error) + ";");
            return true;
        case Op::SpareBegin:
            line("tapir_spare_begin(c);");
            return true;
        default:
            return false;
    }
}

bool BodyWriter::hits(const Inst &i) {
    const std::string space = i.old ? "user" : "kernel", size = std::to_string(i.detail),
                      index = std::to_string(i.index);
    switch (i.op) {
        case Op::ReadRegister:
            if (x_.leaf)
                line(set(i.dst, "tapir_leaf_register(registers, " + index + ")"));
            else
                line(set(i.dst,
                         (i.old ? "tapir_user_register(c, " : "tapir_register(c, ") + index + ", " + site(i) + ")"));
            break;
        case Op::WriteRegister:
            line("tapir_set_register(c, " + index + ", " + value(i.a) + ", " + site(i) + ");");
            break;
        case Op::ReadMemory:
            line(set(i.dst, "tapir_load_" + space + "(c, " + value(i.a) + ", " + size + ", " + site(i) + ")"));
            break;
        case Op::WriteMemory:
            line("tapir_store_" + space + "(c, " + value(i.a) + ", " + value(i.b) + ", " + size + ", " + site(i) +
                 ");");
            break;
        case Op::SymbolAddress:
            line(set(i.dst, "(s64)(tapir_address_values[" + index + "] + (u64)" + value(i.a) + ")"));
            break;
        case Op::ProgramAddress:
            line(set(i.dst, "tapir_program_address(c, " + index + ", " + value(i.a) + ", " + site(i) + ")"));
            break;
        case Op::HitArgument:
            line(set(i.dst, x_.leaf ? "(s64)arg" + index : "(s64)c->args[" + index + "]"));
            break;
        case Op::SavedGet:
            line(set(i.dst, i.dst.is_string() ? slot(i) : "*(s64 *)" + slot(i)));
            break;
        case Op::SavedSet:
            line(i.a.is_string() ? "tapir_str_copy(" + slot(i) + ", " + value(i.a) + ", MAXSTRINGLEN);"
                                 : "*(s64 *)" + slot(i) + " = " + value(i.a) + ";");
            break;
        default:
            return false;
    }
    check(i);
    return true;
}

void BodyWriter::statement(const Inst &i) {
    hits(i) || arithmetic(i) || strings(i) || scalars(i) || maps(i) || statistics(i) || iteration(i) || printing(i) ||
        limits(i) || (control(i), true);
}

// Registers and pointers in use; a script's variables start as 0. Some are only written: that is the script's affair.
std::string BodyWriter::declarations() const {
    std::set<int64_t> registers, pointers;
    auto use = [&](const Value &v) {
        if (v.kind == ValueKind::Reg) registers.insert(v.n);
        if (v.kind == ValueKind::Pointer) pointers.insert(v.n);
    };
    for (const Inst &i : body_.code) {
        use(i.dst), use(i.a), use(i.b), use(i.next);
        for (const Value &v : i.args)
            use(v);
    }
    std::set<int64_t> initial(body_.initial_registers.begin(), body_.initial_registers.end());
    std::string out;
    for (int64_t r : registers)
        if (!x_.params.count({ValueKind::Reg, r}))
            out += "\ts64 r" + std::to_string(r) + " __attribute__((__unused__))" + (initial.count(r) ? " = 0" : "") +
                   ";\n";
    for (int64_t p : pointers)
        if (!x_.params.count({ValueKind::Pointer, p}))
            out += "\tconst char *p" + std::to_string(p) + " __attribute__((__unused__));\n";
    return out;
}

BodyText BodyWriter::write() {
    for (const Inst &i : body_.code)
        statement(i);
    return {declarations(), std::move(out_)};
}

BodyText body_text(const ir::Module &module, const ir::Body &body, const BodyContext &context) {
    return BodyWriter(module, body, context).write();
}

}  // namespace tapir::emit
