// SPDX-License-Identifier: GPL-2.0-or-later
// The header and the C source that dtrace makes of providers.
#include "sdt/provider.h"

namespace tapir::sdt {
namespace {

std::string upper(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return out;
}

// For a comment.
std::string prototype(const Probe &probe) {
    std::string text = probe.name + "(";
    for (const Argument &argument : probe.arguments)
        text += (text.back() == '(' ? "" : ", ") + argument.declaration(argument.name);
    text += ")";
    for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
        text.insert(at + 1, " ");
    return text;
}

// A file's name as a comment can have it.
std::string shown(const std::string &source) {
    return source.find("*/") == std::string::npos ? source : "a file";
}

void write_probe(const Provider &provider, const Probe &probe, bool types, std::string &out) {
    const std::string semaphore = semaphore_name(provider, probe), macro = macro_name(provider, probe);
    std::string names;
    for (size_t i = 1; i <= probe.arguments.size(); ++i)
        names += (i == 1 ? "arg" : ", arg") + std::to_string(i);
    const std::string count = probe.arguments.empty() ? "" : std::to_string(probe.arguments.size());
    out += "\n/* " + prototype(probe) + " */\n";
    out += "extern volatile unsigned short " + semaphore + " __attribute__((visibility(\"hidden\")));\n";
    if (types)
        for (size_t i = 0; i < probe.arguments.size(); ++i) {
            const std::string type = provider.name + "_" + probe.name + "_arg" + std::to_string(i + 1);
            out += "typedef " + probe.arguments[i].declaration(type) + ";\n";
        }
    out += "#define " + macro + "_ENABLED() __builtin_expect(" + semaphore + " != 0, 0)\n";
    out += "#define " + macro + "(" + names + ") DTRACE_PROBE" + count + "(" + provider.name + ", " + probe.name +
           (names.empty() ? "" : ", " + names) + ")\n";
}

}  // namespace

std::string semaphore_name(const Provider &provider, const Probe &probe) {
    return provider.name + "_" + probe.name + "_semaphore";
}

std::string macro_name(const Provider &provider, const Probe &probe) {
    std::string name = probe.name;
    for (size_t at = 0; (at = name.find("__", at)) != std::string::npos; ++at)
        name.erase(at, 1);
    return upper(provider.name + "_" + name);
}

std::string header_text(const std::vector<Provider> &providers, const std::string &source, bool types) {
    std::string out = "/* Made by dtrace from " + shown(source) +
                      ". Changes will be lost. */\n"
                      "#ifndef _SDT_HAS_SEMAPHORES\n"
                      "#define _SDT_HAS_SEMAPHORES 1\n"
                      "#endif\n"
                      "#include <sys/sdt.h>\n\n"
                      "#ifdef __cplusplus\n"
                      "extern \"C\" {\n"
                      "#endif\n";
    for (const Provider &provider : providers)
        for (const Probe &probe : provider.probes)
            write_probe(provider, probe, types, out);
    return out +
           "\n#ifdef __cplusplus\n"
           "}\n"
           "#endif\n";
}

std::string semaphores_text(const std::vector<Provider> &providers, const std::string &source) {
    std::string out = "/* Made by dtrace from " + shown(source) + ". */\n";
    for (const Provider &provider : providers)
        for (const Probe &probe : provider.probes)
            out += "volatile unsigned short " + semaphore_name(provider, probe) +
                   " __attribute__((used, section(\".probes\"), visibility(\"hidden\")));\n";
    return out;
}

}  // namespace tapir::sdt
