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
    using Piece = ast::FormatPiece;
    for (size_t i = 0; i < print.pieces.size(); ++i) {
        Piece &piece = print.pieces[i];
        bool plain = piece.flag == Piece::Flag::None && !piece.width && !piece.width_from_arg;
        if (piece.conv != Piece::Conv::Pointer || !plain) continue;
        if (warn)
            diagnostics.report(Tag::VersionDependent, print.at,
                               "'%p' prints sixteen digits before version 1.3 of the language (--compatible)");
        if (!older(version, "1.3")) continue;
        piece.conv = Piece::Conv::HexLower;
        piece.flag = Piece::Flag::ZeroPad;
        piece.width = 16;
        Piece prefix;
        prefix.literal = "0x";
        print.pieces.insert(print.pieces.begin() + static_cast<ptrdiff_t>(i), prefix);
        ++i;
    }
}

}  // namespace

void apply_version(ast::File &file, const std::string &version, bool warn, Diagnostics &diagnostics) {
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
