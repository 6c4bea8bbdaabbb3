// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/listings.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "resolve/pragmas.h"
#include "types/infer.h"
#include "types/inference.h"

namespace tapir::types {

namespace {

using ast::Type;

std::string declaration(const ast::Variable &variable) {
    std::string text = variable.unique_name;
    if (variable.wrap) text += "%";
    if (variable.max_entries) text += "[" + std::to_string(*variable.max_entries) + "]";
    text += ":" + type_word(variable.type);
    if (variable.key_types.empty()) return text;
    text += " [";
    for (size_t i = 0; i < variable.key_types.size(); ++i)
        text += (i ? ", " : "") + type_word(variable.key_types[i]);
    return text + "]";
}

std::string signature(const ast::Function &function) {
    std::string text = function.unique_name.empty() ? function.name : function.unique_name;
    text += ":" + type_word(function.type) + " (";
    for (size_t i = 0; i < function.params.size(); ++i) {
        const ast::Param &param = function.params[i];
        text += (i ? ", " : "") + param.name + ":" + type_word(param.variable ? param.variable->type : param.declared);
    }
    return text + ")";
}

void print_locals(std::ostream &out, const std::vector<std::unique_ptr<ast::Variable>> &locals) {
    bool any = false;
    for (const auto &local : locals) {
        if (local->scope != ast::Variable::Scope::Local) continue;
        if (!any) out << "  # locals\n";
        any = true;
        out << "  " << declaration(*local) << "\n";
    }
}

// "/* <- syscall target <- alias */", from the place to the script's point.
void print_derivation(std::ostream &out, const resolve::Handler &handler, const probes::Attach &attach) {
    out << " /*";
    for (size_t i = 0; i + 1 < handler.derivation.size(); ++i)
        out << " <- " << handler.derivation[i];
    out << " <- " << (attach.written.empty() ? handler.user_point : attach.written) << " */\n";
}

using Variables = std::vector<std::pair<std::string, std::string>>;  // name, type

// One line of -l; variables in the order in which they are set.
struct Entry {
    bool fresh = true;
    Variables variables;
    Variables of_program;  // the probed one
};

// "$file" -> "struct file*", at one place; a return's result comes first, and only parameters are left of the rest.
Variables target_variables(const target::Scope *scope, bool at_return) {
    Variables variables;
    if (!scope) return variables;
    if (const auto result = at_return ? scope->result() : std::nullopt;
        result && result->stripped().info().kind != ctypes::TypeKind::Void)
        variables.emplace_back("$return", ctypes::type_name(*result));
    std::vector<target::Variable> results;
    if (at_return) results = scope->results();
    for (size_t i = 1; i < results.size(); ++i)
        variables.emplace_back("$" + results[i].name, ctypes::type_name(results[i].type));
    for (const target::Variable &variable : scope->listed()) {
        if (variable.name.empty() || (at_return && !variable.parameter)) continue;
        if (target::find_variable(results, variable.name)) continue;
        variables.emplace_back("$" + variable.name, ctypes::type_name(variable.type));
    }
    return variables;
}

// A line has what all its places have.
void add_entry(std::map<std::string, Entry> &entries, const std::string &name, const resolve::Handler &handler,
               const Variables &of_program) {
    Variables variables;
    for (const auto &local : handler.locals) {
        if (local->is_written) variables.emplace_back(local->name, type_word(local->type));
    }
    Entry &entry = entries[name];
    if (entry.fresh) {
        entry = {false, std::move(variables), of_program};
        return;
    }
    const auto keep_common = [](Variables &known, const Variables &others) {
        std::erase_if(known, [&](const auto &variable) {
            return std::find(others.begin(), others.end(), variable) == others.end();
        });
    };
    keep_common(entry.variables, variables);
    keep_common(entry.of_program, of_program);
}

// " /* pc=vfs_read+0x5 */"
std::string instance_text(const probes::FunctionSite &site) {
    std::ostringstream text;
    text << " /* pc=" << site.symbol << (site.symbol.empty() ? "0x" : "+0x") << std::hex << site.offset << " */";
    return text.str();
}

// The lines of a handler's places, or the one of the alias that it came from; with `instances` one for each place.
void add_handler(std::map<std::string, Entry> &entries, const resolve::Handler &handler, bool variables,
                 bool instances) {
    if (handler.is_entry) return;
    for (const probes::Attach &attach : handler.attaches) {
        const bool at_return = attach.facts().at_return;
        const auto add = [&](const std::string &point, const std::string &instance, const target::Scope *scope) {
            add_entry(entries, (handler.matched.empty() ? point : handler.matched) + instance, handler,
                      variables ? target_variables(scope, at_return) : Variables{});
        };
        if (attach.sites.empty()) add(attach.point, "", attach.scope.get());
        for (const probes::FunctionSite &site : attach.sites)
            add(attach.point_prefix + site.label + attach.point_suffix, instances ? instance_text(site) : "",
                site.scope.get());
    }
}

}  // namespace

std::string print_program(const resolve::Program &program, bool bodies) {
    std::ostringstream out;
    if (!program.embedded.empty()) {
        out << "# global embedded code\n";
        for (const ast::EmbeddedCode *embedded : program.embedded) {
            if (bodies) out << "%{" << embedded->code << "%}\n";
        }
    }
    if (!program.globals.empty()) out << "# globals\n";
    for (const ast::Variable *global : program.globals) {
        out << declaration(*global);
        if (bodies && global->init) out << " = " << ast::print(*global->init);
        out << "\n";
    }
    if (!program.functions.empty()) out << "# functions\n";
    for (const ast::Function *function : program.functions) {
        out << signature(*function) << "\n";
        print_locals(out, function->locals);
        if (!bodies) continue;
        if (function->embedded_c) {
            out << "%{" << *function->embedded_c << "%}\n";
        } else {
            out << ast::print(*function->body);
        }
    }
    if (!program.handlers.empty()) out << "# probes\n";
    for (const auto &handler : program.handlers) {
        for (const probes::Attach &attach : handler->attaches) {
            out << attach.point;
            if (attach.sites.size() > 1) out << " and " << attach.sites.size() - 1 << " more";
            print_derivation(out, *handler, attach);
        }
        print_locals(out, handler->locals);
        if (bodies && handler->condition) out << "  # condition\n  " << ast::print(*handler->condition) << "\n";
        if (bodies) out << ast::print(*handler->body);
    }
    return out.str();
}

std::vector<std::string> list_probes(std::unique_ptr<ast::File> script, library::Library &library,
                                     const resolve::ElaborateOptions &options, bool variables, bool instances,
                                     std::string *why_none) {
    // Points that do not resolve are simply not listed.
    Diagnostics diagnostics;
    std::vector<std::unique_ptr<ast::File>> files;
    files.push_back(std::move(script));
    resolve::ElaborateOptions quiet = options;
    quiet.listing = true;
    quiet.names_only = !variables && !instances;
    std::unique_ptr<resolve::Program> program = resolve::elaborate(std::move(files), library, quiet, diagnostics);
    if (variables) infer(*program, {false}, diagnostics);
    std::map<std::string, Entry> entries;
    for (const auto &handler : program->handlers)
        add_handler(entries, *handler, variables, instances);
    std::vector<std::string> lines;
    for (const auto &[name, entry] : entries) {
        lines.push_back(name);
        if (!variables) continue;
        for (const auto &[variable, type] : entry.variables)
            lines.back() += " " + variable + ":" + type;
        for (const auto &[variable, type] : entry.of_program)
            lines.back() += " " + variable + ":" + type;
    }
    if (!lines.empty() || !why_none) return lines;
    // An empty list says that no point has the name, so this is no reason.
    for (const auto &diagnostic : diagnostics.all()) {
        const Diagnostic *inner = diagnostic.get();
        while (!inner->causes.empty())
            inner = &inner->causes.back();
        if (diagnostic->severity == Severity::Error && inner->tag != Tag::ProbePointMismatch)
            *why_none = inner->message;
    }
    return lines;
}

std::vector<std::string> dump_functions(library::Library &library, bool verbose) {
    std::set<std::string> lines;
    for (const ast::File *file : library.all()) {
        for (const auto &function : file->functions) {
            if (function->is_private || (function->name.starts_with("_") && !verbose)) continue;
            std::string line = function->name + ":" + type_word(function->declared) + " (";
            for (size_t i = 0; i < function->params.size(); ++i) {
                const ast::Param &param = function->params[i];
                line += (i ? ", " : "") + param.name + ":" + type_word(param.declared);
            }
            line += ")";
            const ast::Pragmas pragmas = resolve::read_pragmas(function->embedded_c.value_or(""));
            const std::pair<bool, const char *> tags[] = {{pragmas.unprivileged, "unprivileged"},
                                                          {pragmas.myproc_unprivileged, "myproc-unprivileged"},
                                                          {pragmas.pure && verbose, "pure"},
                                                          {pragmas.guru && verbose, "guru"},
                                                          {pragmas.stable && verbose, "stable"}};
            for (const auto &[set, tag] : tags) {
                if (set) line += std::string(" /* ") + tag + " */";
            }
            lines.insert(line);
        }
    }
    return {lines.begin(), lines.end()};
}

std::vector<std::string> dump_aliases(library::Library &library, bool verbose) {
    std::vector<ast::File *> files = library.all();
    const std::vector<ast::File *> written = library.written(verbose);
    files.insert(files.end(), written.begin(), written.end());
    std::set<std::string> lines;
    for (const ast::File *file : files) {
        for (const auto &alias : file->aliases) {
            for (const ast::ProbePoint &name : alias->names) {
                if (!verbose && !name.components.empty() && name.components[0].name.starts_with("_")) continue;
                std::string line = name.str() + (alias->epilogue ? " += " : " = ");
                for (size_t i = 0; i < alias->points.size(); ++i)
                    line += (i ? ", " : "") + alias->points[i].str();
                lines.insert(line);
            }
        }
    }
    return {lines.begin(), lines.end()};
}

}  // namespace tapir::types
