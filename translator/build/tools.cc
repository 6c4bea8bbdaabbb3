// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/tools.h"

#include "build/build_command.h"
#include "common/files.h"
#include "common/quoting.h"
#include "target/distribution.h"

namespace tapir::build {
namespace {

// Returns the message of a program whose interpreter, library or machine is missing; "" if it ran.
std::string why_not_run(const std::string &program, const std::string &system) {
    Command command;
    command.argv = {program};
    command.system = system;
    const Outcome<Result> result = run(command);
    if (!result) return result.fault().text;
    if (result->ending.status != 126 && result->ending.status != 127) return {};
    const std::string_view text = trim(result->output);
    return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::string compiler_advice(const Compiler &compiler) {
    // "x86_64-linux-gnu-gcc-12" is in the package gcc-12.
    const size_t gcc = compiler.wanted.rfind("gcc"), clang = compiler.wanted.rfind("clang");
    const size_t at = gcc != std::string::npos ? gcc : clang;
    return target::install_program("", compiler.wanted.substr(at == std::string::npos ? 0 : at));
}

std::vector<ToolProblem> check_tools(const target::Kernel &kernel, const Compiler &compiler) {
    std::vector<ToolProblem> problems;
    for (const auto &[tool, package] : {std::pair("make", "make"), {"ld", "binutils"}, {"ar", "binutils"}})
        if (!find_tool(tool, compiler.system))
            problems.push_back({tool, std::string("it is not installed; ") + target::install_program("", package)});
    const std::string again =
        "; " + target::install_headers("", kernel.release) + " again, of this machine's architecture and distribution";
    for (const std::string tool : {"scripts/basic/fixdep", "scripts/mod/modpost", "tools/objtool/objtool"}) {
        const std::string path = kernel.build_dir + "/" + tool, name = tool.substr(tool.rfind('/') + 1);
        if (!is_file(path)) {
            if (name != "objtool" || kernel.config_value("CONFIG_OBJTOOL") == "y")
                problems.push_back({name, path + " is not there" + again});
        } else if (const std::string why = why_not_run(path, compiler.system); !why.empty()) {
            problems.push_back({name, path + " does not run here: " + why + again});
        }
    }
    return problems;
}

}  // namespace tapir::build
