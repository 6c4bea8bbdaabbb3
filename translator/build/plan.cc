// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/plan.h"

#include <algorithm>
#include <map>

#include "build/elf_object.h"
#include "common/outcome.h"

namespace tapir::build {
namespace {

constexpr char kSeparator = '\x1f';

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_object(std::string_view word) {
    return word.size() > 2 && word.ends_with(".o") && word[0] != '-';
}

// True for instrumentation for the function tracer, in any form of kbuild: a handler must not be traced.
bool is_tracer_flag(std::string_view word) {
    return word == "-pg" || word == "-mfentry" || word == "-mrecord-mcount" || word == "-mnop-mcount";
}

// True for macros that tell the kernel's headers of these flags.
bool is_tracer_definition(std::string_view word) {
    return word == "-DCC_USING_FENTRY" || word == "-DCC_USING_NOP_MCOUNT" ||
           word == "-DCC_USING_PATCHABLE_FUNCTION_ENTRY";
}

bool is_debug_flag(std::string_view word) {
    return word == "-g" || (word.starts_with("-g") && word.size() > 2 &&
                            (isdigit(word[2]) || word.starts_with("-gdwarf") || word.starts_with("-gz") ||
                             word.starts_with("-gsplit")));
}

bool is_dependency_flag(std::string_view word) {
    return word.starts_with("-Wp,-MMD") || word.starts_with("-Wp,-MD") || word == "-MMD" || word == "-MD" ||
           word == "-MP";
}

// Takes the kernel's headers away: include paths, forced includes, and what only speaks about them.
bool is_kernel_header_flag(std::string_view word) {
    return word.starts_with("-I") || word.starts_with("-fmacro-prefix-map=") ||
           word.starts_with("-ffile-prefix-map=") || word == "-DTAPIR_KMOD" || word.starts_with("-DKBUILD_") ||
           word.starts_with("-D__KBUILD_") || is_tracer_definition(word) ||
           (word.starts_with("-W") && !word.starts_with("-Wa,") && !word.starts_with("-Wp,"));
}

// Flags whose argument is the next word.
bool is_header_flag_with_argument(std::string_view word) {
    return word == "-include" || word == "-isystem" || word == "-iquote" || word == "-idirafter" || word == "-imacros";
}

Fault unknown(const std::string &what) {
    return {FaultTag::CommandUnknown, what};
}

// The compile command of the script object.
Outcome<Words> compile_command(const Words &saved, bool kernel_headers, const Leftovers &leftovers) {
    Words command;
    bool source = false, object = false;
    for (size_t i = 0; i < saved.size(); i++) {
        const std::string &word = saved[i];
        if (is_dependency_flag(word) || is_tracer_flag(word) || is_debug_flag(word)) continue;
        if (word == "-MF" || word == "-MT" || word == "-MQ") {
            i++;
        } else if (word == "-o" && i + 1 < saved.size()) {
            command.insert(command.end(), {"-o", std::string(Plan::kObject)});
            object = true;
            i++;
        } else if (base_name(word) == "script.c") {
            command.emplace_back(Plan::kSource);
            source = true;
        } else if (!kernel_headers && is_header_flag_with_argument(word)) {
            i++;
        } else if (kernel_headers || !is_kernel_header_flag(word)) {
            command.push_back(word);
        }
    }
    if (!source || !object || std::find(command.begin(), command.end(), "-c") == command.end())
        return unknown("the compile command has an unknown form");
    command.insert(command.end() - 1, {"-g0", "-I" + leftovers.made_in + "/runtime/include"});
    if (!kernel_headers) command.insert(command.end() - 1, "-w");
    return command;
}

bool is_objtool(const Words &command) {
    return base_name(command[0]) == "objtool";
}

// An objtool command with its object, the last word, left open.
Words objtool_command(Words command, std::string_view place) {
    command.back() = place;
    return command;
}

// A link command: its objects (or the @file that lists them) become `inputs`, its output `output`.
Outcome<Words> link_command(const Words &saved, const Words &inputs, std::string_view output) {
    Words command;
    bool placed = false, named = false;
    for (size_t i = 0; i < saved.size(); i++) {
        if (saved[i] == "-o" && i + 1 < saved.size()) {
            command.insert(command.end(), {"-o", std::string(output)});
            named = true;
            i++;
        } else if (is_object(saved[i]) || saved[i][0] == '@') {
            if (!placed) command.insert(command.end(), inputs.begin(), inputs.end());
            placed = true;
        } else {
            command.push_back(saved[i]);
        }
    }
    if (!placed || !named || std::find(saved.begin(), saved.end(), "-r") == saved.end())
        return unknown("a link command has an unknown form");
    return command;
}

// Objects of the final link besides the composite: .mod.o and, on newer kernels, .module-common.o.
Words companion_objects(const Words &link, std::string_view composite) {
    Words objects;
    for (size_t i = 1; i < link.size(); i++)
        if (is_object(link[i]) && link[i - 1] != "-o" && base_name(link[i]) != composite) objects.push_back(link[i]);
    return objects;
}

// Kernels that do not save the objtool command print it: the one for the script object.
std::optional<Words> objtool_from_log(std::string_view log) {
    while (!log.empty()) {
        std::string_view line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(log.size(), line.size() + 1));
        if (line.find("objtool") == std::string_view::npos || line.find("script.o") == std::string_view::npos) continue;
        auto commands = parse_shell(line);
        if (!commands) continue;
        for (const Words &command : *commands)
            if (is_objtool(command) && base_name(command.back()) == "script.o") return command;
    }
    return std::nullopt;
}

// Picks from kbuild's exported variables those that describe the target, for objtool, and its own settings.
std::vector<std::string> exported(std::string_view env_output) {
    constexpr std::string_view kNames[] = {"ARCH",          "SRCARCH", "BITS",    "UTS_MACHINE", "KERNELRELEASE",
                                           "KERNELVERSION", "srctree", "objtree", "abs_srctree", "abs_objtree"};
    std::vector<std::string> variables;
    while (!env_output.empty()) {
        std::string_view line = env_output.substr(0, env_output.find('\n'));
        env_output.remove_prefix(std::min(env_output.size(), line.size() + 1));
        size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        std::string_view name = line.substr(0, equals);
        if (name.starts_with("OBJTOOL") || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames))
            variables.emplace_back(line);
    }
    return variables;
}

void replace_all(std::string &text, std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

// A part of a plan, put where it belongs.
Outcome<void> put(Outcome<Words> command, Words &place) {
    if (!command) return command.fault();
    place = std::move(*command);
    return {};
}

Outcome<void> derive(const Leftovers &leftovers, Plan &plan) {
    auto script = parse_saved_command(leftovers.script_cmd);
    auto composite = parse_saved_command(leftovers.composite_cmd);
    auto module = parse_saved_command(leftovers.module_cmd);
    if (!script || !composite || !module) return unknown("a saved command has an unknown form");
    if (module->commands.size() != 1) return unknown("the module needs more than a link");

    plan.cwd = script->target[0] == '/' ? leftovers.build_dir : leftovers.made_in;
    plan.environment = exported(leftovers.environment);
    Outcome<void> known = put(compile_command(script->commands[0], false, leftovers), plan.compile);
    if (known) known = put(compile_command(script->commands[0], true, leftovers), plan.compile_kernel);
    if (!known) return known;

    auto after = [](const SavedCommand &saved) { return saved.commands.size() == 2 && is_objtool(saved.commands[1]); };
    if (script->commands.size() > 1 && !after(*script)) return unknown("an unknown command follows the compiler");
    if (composite->commands.size() > 1 && !after(*composite)) return unknown("an unknown command follows the linker");
    if (after(*script)) {
        plan.objtool = objtool_command(script->commands[1], Plan::kObject);
    } else if (after(*composite)) {
        plan.objtool = objtool_command(composite->commands[1], Plan::kComposite);
        plan.objtool_on_composite = true;
    } else if (auto logged = objtool_from_log(leftovers.log)) {
        plan.objtool = objtool_command(*logged, Plan::kObject);
    }

    // Objects of the runtime that a script does not need stay in the archive. The one with the module's entry points is
    // asked for by name, because nothing in the script refers to it.
    std::string archive = leftovers.made_in + "/objects.a";
    Words runtime = {"-u", "init_module", std::string(Plan::kObject), archive};
    if (plan.objtool_on_composite) {
        if (known = put(link_command(composite->commands[0], runtime, Plan::kComposite), plan.combine); !known)
            return known;
        runtime = {std::string(Plan::kComposite)};
    }
    for (const ElfSection &section : elf_sections(leftovers.mod_object)) {
        plan.symbol_versions |= section.name == "__versions";
        if (section.name.starts_with("__version_ext")) return unknown("symbol versions have an unknown form");
    }
    Words companions = companion_objects(module->commands[0], base_name(composite->target));
    if (companions.empty()) return unknown("the module's link command has an unknown form");
    Words inputs = runtime;
    inputs.insert(inputs.end(), companions.begin(), companions.end());
    if (known = put(link_command(module->commands[0], inputs, Plan::kModule), plan.finish); !known) return known;

    for (Words *words : {&plan.compile, &plan.compile_kernel, &plan.objtool, &plan.combine, &plan.finish})
        for (std::string &word : *words)
            replace_all(word, leftovers.made_in, leftovers.kept_in);
    for (std::string &variable : plan.environment)
        replace_all(variable, leftovers.made_in, leftovers.kept_in);
    replace_all(plan.cwd, leftovers.made_in, leftovers.kept_in);
    return {};
}

}  // namespace

Plan derive_plan(const Leftovers &leftovers) {
    Plan plan;
    const Outcome<void> derived = derive(leftovers, plan);
    if (derived) return plan;
    Plan none;
    none.unsupported = derived.fault().message();
    return none;
}

static void write_words(std::string &text, std::string_view key, const Words &words) {
    text += key;
    for (const std::string &word : words)
        (text += kSeparator) += word;
    text += '\n';
}

std::string serialize(const Plan &plan) {
    std::string text;
    write_words(text, "unsupported", {plan.unsupported});
    write_words(text, "cwd", {plan.cwd});
    write_words(text, "environment", plan.environment);
    write_words(text, "compile", plan.compile);
    write_words(text, "compile_kernel", plan.compile_kernel);
    write_words(text, "objtool", plan.objtool);
    write_words(text, "objtool_on_composite", {plan.objtool_on_composite ? "1" : "0"});
    write_words(text, "symbol_versions", {plan.symbol_versions ? "1" : "0"});
    write_words(text, "combine", plan.combine);
    write_words(text, "finish", plan.finish);
    return text;
}

std::optional<Plan> parse_plan(std::string_view text) {
    std::map<std::string, Words, std::less<>> records;
    while (!text.empty()) {
        size_t end = text.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        size_t at = line.find(kSeparator);
        Words &words = records[std::string(line.substr(0, at))];
        while (at != std::string_view::npos) {
            size_t next = line.find(kSeparator, at + 1);
            words.emplace_back(line.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
            at = next;
        }
    }
    auto one = [&](const char *key) {
        return records[key].size() == 1 ? std::optional(records[key][0]) : std::nullopt;
    };
    auto unsupported = one("unsupported"), cwd = one("cwd"), on_composite = one("objtool_on_composite"),
         versions = one("symbol_versions");
    if (!unsupported || !cwd || !on_composite || !versions) return std::nullopt;
    Plan plan;
    plan.unsupported = *unsupported;
    plan.cwd = *cwd;
    plan.environment = records["environment"];
    plan.compile = records["compile"];
    plan.compile_kernel = records["compile_kernel"];
    plan.objtool = records["objtool"];
    plan.objtool_on_composite = *on_composite == "1";
    plan.symbol_versions = *versions == "1";
    plan.combine = records["combine"];
    plan.finish = records["finish"];
    if (plan.unsupported.empty() && (plan.compile.empty() || plan.compile_kernel.empty() || plan.finish.empty()))
        return std::nullopt;
    return plan;
}

Words fill(const Words &command, const std::vector<std::pair<std::string_view, std::string>> &places) {
    Words filled = command;
    for (std::string &word : filled)
        for (const auto &[place, file] : places)
            if (word == place) word = file;
    return filled;
}

}  // namespace tapir::build
