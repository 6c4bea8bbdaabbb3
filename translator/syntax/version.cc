// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/version.h"

#include <cstring>

#include "ast/walk.h"

namespace tapir::syntax {
namespace {

bool older(const std::string &version, const char *than) {
    return strverscmp(version.c_str(), than) < 0;
}

// %p without width or flag was 0x and sixteen digits before 1.3.
void apply_to_print(ast::Print &print, const std::string &version, bool warn, Diagnostics &diagnostics) {
    using FormatPart = ast::FormatPiece;
    for (size_t i = 0; i < print.pieces.size(); ++i) {
        FormatPart &piece = print.pieces[i];
        bool plain = piece.flag == FormatPart::Flag::None && !piece.width && !piece.width_from_arg;
        if (piece.conv != FormatPart::Conv::Pointer || !plain) continue;
        if (warn)
            diagnostics.report(Tag::VersionDependent, print.at,
                               "'%p' prints sixteen digits before version 1.3 of the language (--compatible)");
        if (!older(version, "1.3")) continue;
        piece.conv = FormatPart::Conv::HexLower;
        piece.flag = FormatPart::Flag::ZeroPad;
        piece.width = 16;
        FormatPart prefix;
        prefix.literal = "0x";
        print.pieces.insert(print.pieces.begin() + static_cast<ptrdiff_t>(i), prefix);
        ++i;
    }
}

// A type or variable without a module in a function was the kernel's before 4.3, for all callers of the function.
void apply_to_functions(ast::File &file, const std::string &version, bool warn, Diagnostics &diagnostics) {
    const auto apply = [&](const SourceRef &at, std::string &module) {
        if (!module.empty()) return;
        if (warn)
            diagnostics.report(Tag::VersionDependent, at,
                               "without a module this is the kernel's in functions, before version 4.3 of the language "
                               "(--compatible)");
        if (older(version, "4.3")) module = "kernel";
    };
    for (const auto &function : file.functions) {
        if (!function->body) continue;
        ast::each_expr(*function->body, [&](ast::Expr &e) {
            if (e.kind == ast::ExprKind::Cast) apply(e.at, static_cast<ast::Cast &>(e).module);
            if (e.kind == ast::ExprKind::AtVar) apply(e.at, static_cast<ast::AtVar &>(e).module);
        });
    }
}

bool is_users(const ast::File &file) {
    const SourceFile *source = file.source;
    return source && (source->origin() == Origin::UserScript || source->origin() == Origin::CommandLine);
}

}  // namespace

void apply_version(ast::File &file, const std::string &version, bool warn, Diagnostics &diagnostics) {
    if (is_users(file) && (warn || older(version, "4.3"))) apply_to_functions(file, version, warn, diagnostics);
    if (!warn && !older(version, "1.3")) return;
    auto apply = [&](const ast::StmtPtr &body) {
        if (!body) return;
        ast::each_expr(*body, [&](ast::Expr &e) {
            if (e.kind == ast::ExprKind::Print)
                apply_to_print(static_cast<ast::Print &>(e), version, warn, diagnostics);
        });
    };
    for (const auto &function : file.functions)
        apply(function->body);
    for (const auto &alias : file.aliases) {
        apply(alias->body);
        apply(alias->epilogue_body);
    }
    for (const auto &probe : file.probes)
        apply(probe->body);
}

}  // namespace tapir::syntax
