// SPDX-License-Identifier: GPL-2.0-or-later
#include "library/for_program.h"

namespace tapir::library {

namespace {

void speak_of_program(ast::ProbePoints &points, const std::string &program) {
    for (ast::ProbePoint &point : points) {
        if (point.components.empty() || point.components[0].name != "process") continue;
        ast::PointComponent &process = point.components[0];
        if (!process.arg) {
            process.arg = std::make_unique<ast::String>(process.at, program);
        } else if (process.arg->kind == ast::ExprKind::String) {
            std::string &path = static_cast<ast::String &>(*process.arg).value;
            if (path.find('/') == std::string::npos) path = program.substr(0, program.rfind('/') + 1) + path;
        }
    }
}

}  // namespace

void speak_of_program(ast::File &file, const std::string &program) {
    for (const auto &alias : file.aliases)
        speak_of_program(alias->points, program);
    for (const auto &probe : file.probes)
        speak_of_program(probe->points, program);
}

}  // namespace tapir::library
