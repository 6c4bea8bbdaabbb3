// SPDX-License-Identifier: GPL-2.0-or-later
// C functions: handlers, script functions, embedded C.
#include "emit/c/writer.h"

#include <algorithm>

namespace tapir::emit {

using ir::ValueKind;

namespace {

std::string number(int64_t n) {
    return std::to_string(n);
}

// Returns the frame's declaration for a body whose code uses it. Code after a certain error is dropped, but keeps its
// place in the frame.
std::string frame_declaration(const std::string &name, const std::string &memory, const BodyText &text) {
    if (text.code.find("f->") == std::string::npos) return {};
    return "\tstruct frame_" + name + " *const f = (struct frame_" + name + " *)" + memory + ";\n";
}

void note_params(const ir::Function &f, BodyContext &context) {
    for (const ir::Param &p : f.params)
        context.params.insert({p.value.kind, p.value.n});
}

// Operands that the compiler accepts only as numbers, or only as texts, even with warnings off.
std::string operand(const std::string &text, ast::Type type) {
    return type == ast::Type::String ? "&(" + text + ")[0]" : "(" + text + ") * 1";
}

// How embedded C reaches the globals its pragmas name.
std::string global_macros(const ir::Module &m, const std::vector<int> &globals, bool define) {
    std::string out;
    for (int n : globals) {
        const ir::Global &g = m.globals[static_cast<size_t>(n)];
        std::string get = "STAP_GLOBAL_GET_" + identifier(g.name), set = "STAP_GLOBAL_SET_" + identifier(g.name);
        if (g.type == ast::Type::Stat) continue;
        if (!define) {
            out += "#undef " + get + "\n#undef " + set + "\n";
            continue;
        }
        std::string name = global_name(m, n), params, keys;
        bool string = g.type == ast::Type::String;
        if (g.key_types.empty()) {
            out += "#define " + get + "() (" + name + ")\n#define " + set + "(v) ";
            const std::string value = operand("v", g.type);
            out += string ? "tapir_str_copy(" + name + ", " + value + ", MAXSTRINGLEN)\n"
                          : "((void)(" + name + " = " + value + "))\n";
            continue;
        }
        for (size_t k = 0; k < g.key_types.size(); k++) {
            std::string key = "k" + number(static_cast<int64_t>(k));
            params += (k ? ", " : "") + key;
            keys += (k ? ", {" : "{") + std::string(g.key_types[k] == ast::Type::String ? " .s = " : " .n = ") +
                    operand(key, g.key_types[k]) + " }";
        }
        std::string array = "(const union tapir_val[]){ " + keys + " }";
        out += "#define " + get + "(" + params + ") " + (string ? "tapir_map_peek_string(" : "tapir_map_get_long(") +
               name + ", (" + array + "))\n";
        out += "#define " + set + "(" + params + ", v) " + (string ? "tapir_map_set_string(" : "tapir_map_set_long(") +
               "CONTEXT, " + name + ", (" + array + "), " + operand("v", g.type) + ", NULL)\n";
    }
    return out;
}

// Where text with CATCH_DEREF_FAULT() continues after a fault. `declaration` comes before it in its function.
struct FaultPlace {
    std::string define, undef, declaration;
};

FaultPlace fault_place(const std::string &text) {
    if (text.find("CATCH_DEREF_FAULT") == std::string::npos) return {};
    const std::string undef = "#undef TAPIR_FAULT\n#define TAPIR_FAULT ";
    return {undef + "TAPIR_FAULT_CAUGHT\n", undef + "return\n",
            "\tbool tapir_faulted_ __attribute__((__unused__)) = false;\n"};
}

}  // namespace

std::string saved_offset(const ir::Handler &handler, size_t index) {
    const auto is_text = [](ast::Type type) { return type == ast::Type::String; };
    const auto &saved = handler.saved;
    const auto texts_before = std::count_if(saved.begin(), saved.begin() + static_cast<ptrdiff_t>(index), is_text);
    const auto numbers = static_cast<ptrdiff_t>(saved.size()) - std::count_if(saved.begin(), saved.end(), is_text);
    if (index < saved.size() && !is_text(saved[index]))
        return std::to_string(8 * (static_cast<ptrdiff_t>(index) - texts_before));
    const std::string texts = texts_before == 0 ? "" : std::to_string(texts_before) + " * MAXSTRINGLEN";
    if (numbers == 0) return texts.empty() ? "0" : texts;
    return std::to_string(8 * numbers) + (texts.empty() ? "" : " + " + texts);
}

std::string global_name(const ir::Module &module, int global) {
    return "g" + number(global) + "_" + identifier(module.globals[static_cast<size_t>(global)].name);
}

std::string map_desc_name(const ir::Module &module, int global) {
    return global_name(module, global) + "_map";
}

std::string function_name(const ir::Module &module, int function) {
    return "fn" + number(function) + "_" + identifier(module.functions[static_cast<size_t>(function)].name);
}

std::string lockset_name(const ir::Module &module, int handler) {
    std::string out = "lockset";
    for (int lock : module.handlers[static_cast<size_t>(handler)].locks)
        out += "_" + number(lock);
    return out;
}

std::string frame_struct(const std::string &name, const ir::Frame &frame) {
    if (frame.empty()) return {};
    std::string out = "struct frame_" + name + " {\n";
    for (int i = 0; i < frame.buffers; i++)
        out += "\tchar s" + number(i) + "[MAXSTRINGLEN] __attribute__((__aligned__(8)));\n";
    for (int i = 0; i < frame.sums; i++)
        out += "\tstruct tapir_stat_sum sum" + number(i) + ";\n";
    for (const auto &[sum, buckets] : frame.buckets)
        out += "\tu64 buckets" + number(sum) + "[" + std::to_string(buckets) + "];\n";
    for (int i = 0; i < frame.iterators; i++)
        out += "\tstruct tapir_iter it" + number(i) + ";\n";
    return out + "};\n";
}

std::string prototype(const ir::Module &module, int function) {
    const ir::Function &f = module.functions[static_cast<size_t>(function)];
    std::string out = f.result == ast::Type::Long ? "static s64 " : f.borrowed ? "static const char *" : "static void ";
    out += "__attribute__((__unused__)) " + function_name(module, function) + "(struct tapir_ctx *c";
    if (f.syscall_here) out += ", const struct tapir_syscall_entry *syscall";
    if (f.has_next) out += ", s64 *next";
    if (f.result == ast::Type::String && !f.borrowed) out += ", char *result";
    for (const ir::Param &p : f.params) {
        bool string = p.value.kind == ValueKind::Pointer;
        bool writable = f.embedded && f.writes_args;
        out += string ? writable ? ", char *p" : ", const char *p" : ", s64 r";
        out += number(p.value.n);
    }
    return out + ")";
}

bool reaches_frame(const ir::Module &module, const std::vector<int> &callees) {
    std::vector<bool> seen(module.functions.size());
    std::vector<int> todo = callees;
    while (!todo.empty()) {
        auto n = static_cast<size_t>(todo.back());
        todo.pop_back();
        if (seen[n]) continue;
        seen[n] = true;
        if (module.functions[n].pushes) return true;
        todo.insert(todo.end(), module.functions[n].callees.begin(), module.functions[n].callees.end());
    }
    return false;
}

// The older way to the parameters and the result, THIS->name and THIS->__retvalue: a structure that holds them.
struct This {
    std::string declaration, object, param, arg, macro;
};

This this_structure(const ir::Function &f, const std::string &name) {
    This out;
    if (f.embedded->find("THIS->") == std::string::npos) return out;
    std::string values;
    out.declaration = "struct this_" + name + " {\n";
    for (const ir::Param &p : f.params) {
        bool text = p.value.kind == ValueKind::Pointer;
        std::string member = identifier(p.name);
        out.declaration += (text ? "\tchar *const " : "\ts64 ") + member + ";\n";
        values += " ." + member + (text ? " = (char *)p" : " = r") + number(p.value.n) + ",";
    }
    bool string = f.result == ast::Type::String;
    out.declaration += std::string(f.borrowed ? "\tconst char *"
                                   : string   ? "\tchar *const "
                                              : "\ts64 ") +
                       "__retvalue;\n};\n";
    out.object =
        "\tstruct this_" + name + " this_ = {" + values + " .__retvalue = " + (string ? "result" : "0") + " };\n\n";
    out.param = ", struct this_" + name + " *tapir_this_";
    out.arg = ", &this_";
    out.macro = "#define THIS tapir_this_\n";
    return out;
}

// The text runs in a function of its own, so that `return` in it works for any result type of the script function. It
// may use any names for its variables; ours are tapir_NAME_.
std::string embedded_function(const ir::Module &module, int function) {
    const ir::Function &f = module.functions[static_cast<size_t>(function)];
    std::string name = function_name(module, function), body_name = "body_" + name;
    // The result goes into the caller's buffer, or is a value of its own.
    const bool string = f.result == ast::Type::String && !f.borrowed;
    const bool by_value = f.result == ast::Type::Long || f.borrowed;
    const std::string type = f.borrowed ? "const char *" : "s64 ", cast = f.borrowed ? "" : "(s64)";
    std::string params = "struct tapir_ctx *tapir_context_", args = "c", macros, undef;
    if (f.syscall_here) {
        params += ", const struct tapir_syscall_entry *tapir_syscall_", args += ", syscall";
        macros += "#define SYSCALL tapir_syscall_\n", undef += "#undef SYSCALL\n";
    }
    if (f.has_next) params += ", s64 *tapir_next_", args += ", next";
    // Texts are arrays to write to: the pointers cannot be assigned.
    if (string) params += ", char *const tapir_result_", args += ", result";
    if (by_value) params += ", " + type + "*tapir_result_", args += ", &result";
    for (const ir::Param &p : f.params) {
        bool text = p.value.kind == ValueKind::Pointer;
        std::string var = (text ? "p" : "r") + number(p.value.n), macro = "STAP_ARG_" + identifier(p.name);
        std::string own = "tapir_" + var + "_";
        params += (text ? f.writes_args ? ", char *" : ", const char *" : ", s64 ") + own;
        args += ", " + var;
        macros += "#define " + macro + (text ? " ((char *)" + own + ")\n" : " " + own + "\n");
        undef += "#undef " + macro + "\n";
    }
    if (string)
        macros +=
            "#define STAP_RETVALUE tapir_result_\n#define STAP_RETURN(v) do { tapir_str_copy(tapir_result_, (v), "
            "MAXSTRINGLEN); "
            "return; } while (0)\n";
    else if (by_value)
        macros += "#define STAP_RETVALUE (*tapir_result_)\n#define STAP_RETURN(v) do { *tapir_result_ = " + cast +
                  "(v); return; } while (0)\n";
    else
        macros += "#define STAP_RETURN(v) return\n";
    if (string || by_value) undef += "#undef STAP_RETVALUE\n";
    undef += "#undef STAP_RETURN\n";
    const This old = this_structure(f, name);
    if (!old.macro.empty() && by_value)
        macros +=
            "#undef STAP_RETVALUE\n#define STAP_RETVALUE (tapir_this_->__retvalue)\n#undef STAP_RETURN\n#define "
            "STAP_RETURN(v) do "
            "{ tapir_this_->__retvalue = " +
            cast + "(v); return; } while (0)\n";
    params += old.param;
    args += old.arg;
    if (!old.macro.empty()) undef += "#undef THIS\n";
    const FaultPlace fault = fault_place(*f.embedded);
    std::string out =
        old.declaration + old.macro + macros + global_macros(module, f.accessed_globals, true) + fault.define;
    out += "static inline __attribute__((__always_inline__)) void " + body_name + "(" + params + ")\n{\n" +
           fault.declaration + placed_code(f.embedded_at, *f.embedded, 2) + "\n}\n";
    out += fault.undef + undef + global_macros(module, f.accessed_globals, false);
    out += prototype(module, function) + "\n{\n";
    if (by_value)
        out += "\t" + type + "result = " + (f.borrowed ? "\"\"" : "0") + ";\n" + (old.object.empty() ? "\n" : "");
    out += old.object;
    if (string) out += "\tresult[0] = 0;\n";
    out += "\t" + body_name + "(" + args + ");\n";
    if (by_value) out += old.object.empty() ? "\treturn result;\n" : "\treturn this_.__retvalue;\n";
    return out + "}\n\n";
}

std::string script_function(const ir::Module &module, int function) {
    const ir::Function &f = module.functions[static_cast<size_t>(function)];
    std::string name = function_name(module, function);
    BodyContext context;
    note_params(f, context);
    std::string bytes = f.body.frame.empty() ? "0" : "TAPIR_FRAME_BYTES(struct frame_" + name + ")";
    std::string out = prototype(module, function) + "\n{\n";
    BodyText text = body_text(module, f.body, context);
    std::string result = f.result == ast::Type::Long ? "r" + number(f.result_register.n) : "";
    if (f.pushes) {
        // The frame is bounded by MAXNESTING; the machine's own stack need not be as large as the user's MAXNESTING.
        const char *guard = f.recursive ? "tapir_port_stack_left() < TAPIR_STACK_RESERVE ? NULL : " : "";
        out += std::string("\tchar *memory = ") + guard + "tapir_frame_push(c, " + bytes + ", TAPIR_NESTING, NULL);\n";
        if (!f.body.frame.empty()) out += frame_declaration(name, "memory", text);
    }
    if (f.result == ast::Type::Long && text.declarations.find("\ts64 " + result + " ") == std::string::npos)
        text.declarations += "\ts64 " + result + " = 0;\n";
    out += text.declarations;
    if (f.pushes) {
        out += "\n\tif (TAPIR_UNLIKELY(!memory)) {\n\t\ttapir_error_nesting(c, NULL);\n\t\treturn";
        out += result.empty() ? ";\n\t}\n" : " 0;\n\t}\n";
    }
    out += "\n" + text.code;
    if (f.pushes) out += "\ttapir_frame_pop(c, " + bytes + ");\n";
    if (!result.empty()) out += "\treturn " + result + ";\n";
    return out + "}\n\n";
}

std::string snippet_function(const ir::Module &module, int snippet) {
    const ir::Snippet &s = module.snippets[static_cast<size_t>(snippet)];
    if (s.constant) return {};
    std::string code = placed_code(s.at, s.code, 2);
    const FaultPlace fault = s.type == ast::Type::Void ? fault_place(s.code) : FaultPlace();
    std::string head = fault.define + global_macros(module, s.accessed_globals, true) +
                       "static __attribute__((__unused__)) void snippet" + number(snippet) +
                       "(struct tapir_ctx *tapir_context_";
    const std::string undef = fault.undef + global_macros(module, s.accessed_globals, false);
    // It may be an expression, as it is for SystemTap.
    if (s.type == ast::Type::Void) return head + ")\n{\n" + fault.declaration + code + "\n;\n}\n" + undef + "\n";
    bool string = s.type == ast::Type::String;
    return head + (string ? ", const char **tapir_value_" : ", s64 *tapir_value_") +
           ")\n{\n\t*tapir_value_ = " + (string ? "(const char *)(" : "(s64)(") + code + ");\n}\n" + undef + "\n";
}

std::string condition_function(const ir::Module &module, int condition) {
    const ir::Condition &x = module.conditions[static_cast<size_t>(condition)];
    BodyContext context{.cpu = "0", .context = "NULL"};
    std::string result = x.result.kind == ValueKind::Int ? constant(x.result.n) : "r" + number(x.result.n);
    BodyText text = body_text(module, x.body, context);
    return "static bool condition" + number(condition) + "(void)\n{\n" + text.declarations + "\n" + text.code +
           "\treturn " + result + " != 0;\n}\n\n";
}

const char *leaf_member(LeafForm form) {
    static const char *const members[] = {"plain", "registers", "arguments"};
    return members[static_cast<int>(form)];
}

std::string handler_name(const ir::Module &module, int handler, LeafForm form) {
    std::string name = "handler" + number(handler);
    return module.handlers[static_cast<size_t>(handler)].leaf ? name + "_" + leaf_member(form) : name;
}

static std::string handler_parameters(const ir::Handler &h, LeafForm form) {
    if (!h.leaf) return "(struct tapir_ctx *c)";
    if (form == LeafForm::REGISTERS) return "(u32 cpu, const void *registers)";
    if (form == LeafForm::ARGUMENTS) return "(u32 cpu, u64 arg0, u64 arg1, u64 arg2, u64 arg3, u64 arg4)";
    return "(u32 cpu)";
}

std::string handler_function(const ir::Module &module, int handler, LeafForm form) {
    const ir::Handler &h = module.handlers[static_cast<size_t>(handler)];
    std::string name = "handler" + number(handler);
    BodyContext context{.lockset = lockset_name(module, handler), .saved = &h};
    if (h.leaf) {
        context.cpu = "cpu";
        context.context = "NULL";
        context.leaf = true;
    }
    std::string out = "/* " + h.where + " */\nstatic void " + handler_name(module, handler, form) +
                      handler_parameters(h, form) + "\n{\n";
    const std::string reserved = module.regex_groups ? " + LAST_MATCH_BYTES" : "";
    BodyText text = body_text(module, h.body, context);
    if (!h.body.frame.empty()) out += frame_declaration(name, "(c->frame" + reserved + ")", text);
    out += text.declarations + "\n";
    if (module.regex_groups && !h.leaf) out += "\ttapir_last_match(c)->match.ngroups = 0;\n";
    if (reaches_frame(module, h.callees))
        out += "\tc->frame_used = " +
               (h.body.frame.empty() ? std::string("0") : "TAPIR_FRAME_BYTES(struct frame_" + name + ")") + reserved +
               ";\n";
    return out + text.code + "}\n\n";
}

std::string attempt_name(int handler) {
    return "attempt" + number(handler);
}

std::string attempt_function(const ir::Module &module, int handler) {
    BodyContext context{.cpu = "cpu", .context = "NULL"};
    context.attempt = true;
    const BodyText text = body_text(module, *module.handlers[static_cast<size_t>(handler)].attempt, context);
    return "static bool " + attempt_name(handler) + "(const void *place, u32 cpu)\n{\n" + text.declarations + "\n" +
           text.code + "\treturn true;\n}\n\n";
}

}  // namespace tapir::emit
