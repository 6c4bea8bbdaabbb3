// SPDX-License-Identifier: GPL-2.0-or-later
// The print family.
#include <algorithm>

#include "base/help.h"
#include "syntax/builder.h"
#include "syntax/printf_format.h"

namespace tapir::syntax {

namespace {

// More arguments than this would make a handler's stack and records unbounded.
constexpr size_t max_print_arguments = 32;

std::unique_ptr<ast::Print> print_node(const Token *name) {
    auto print = std::make_unique<ast::Print>(name->ref);
    print->name = name->ref.text;
    std::string_view rest = print->name;
    if (rest[0] == 's') {
        print->to_string = true;
        rest.remove_prefix(1);
    }
    print->formatted = rest == "printf";
    print->as_char = rest == "print_char";
    print->delimited = rest == "printd" || rest == "printdln";
    print->newline = rest == "println" || rest == "printdln";
    return print;
}

}  // namespace

void Builder::set_format(ast::Print &print, ExprList &args) {
    if (args.items.empty() || args.items[0]->kind != ast::ExprKind::String) {
        add_help(diagnostics_.report(Tag::FormatNotLiteral, args.items.empty() ? print.at : args.items[0]->at,
                                     "expected literal format string as the first argument of " + print.name),
                 print.name + "(\"%s\", TEXT) prints any text, " + print.name + "(\"%d\", NUMBER) any number");
        return;
    }
    print.format = static_cast<const ast::String &>(*args.items[0]).value;
    std::string complaint = parse_format(print.format, print.pieces);
    if (!complaint.empty())
        add_help(diagnostics_.report(Tag::BadFormat, args.items[0]->at, complaint),
                 "%d %i %u %x %X %o %b %p print numbers, %c a character, %s strings, %m and %M memory; %% is a '%'");
    args.items.erase(args.items.begin());
}

void Builder::set_delimiter(ast::Print &print, ExprList &args) {
    if (args.items.empty() || args.items[0]->kind != ast::ExprKind::String) {
        report(Tag::FormatNotLiteral, args.items.empty() ? print.at : args.items[0]->at,
               "expected literal delimiter string as the first argument of " + print.name);
        return;
    }
    print.delimiter = static_cast<const ast::String &>(*args.items[0]).value;
    args.items.erase(args.items.begin());
}

void Builder::check_print_arguments(const ast::Print &print) {
    size_t least = print.delimited ? 2 : print.formatted || print.newline ? 0 : 1;
    size_t most = print.as_char ? 1 : max_print_arguments;
    if (print.args.size() >= least && print.args.size() <= most) return;
    std::string limits = least == most               ? std::to_string(least)
                         : print.args.size() < least ? "at least " + std::to_string(least)
                                                     : "at most " + std::to_string(most);
    bool one = least == most || print.args.size() < least ? least == 1 : most == 1;
    report(Tag::PrintArguments, print.at, print.name + " needs " + limits + (one ? " value" : " values"));
}

ExprNode Builder::print(const Token *name, ExprList args) {
    auto node = print_node(name);
    if (node->formatted) set_format(*node, args);
    if (node->delimited) set_delimiter(*node, args);
    node->args = std::move(args.items);
    check_print_arguments(*node);
    return grow(std::move(node), args.depth);
}

ExprNode Builder::print(const Token *name, ExprNode hist) {
    auto node = print_node(name);
    if (node->formatted || node->delimited || node->as_char)
        report(Tag::PrintArguments, hist.expr->at,
               "a histogram can be printed with print or println, and made a text with sprint or sprintln, only");
    if (node->to_string) hist = refuse_unit(std::move(hist));
    node->args.push_back(std::move(hist.expr));
    return grow(std::move(node), hist.depth);
}

}  // namespace tapir::syntax
