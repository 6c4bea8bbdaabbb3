// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/body_parts.h"

#include <algorithm>
#include <map>
#include <set>

#include "ast/walk.h"

namespace tapir::resolve {

namespace {

void collect_names(const ast::Stmt &body, std::set<std::string, std::less<>> &names) {
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind == ast::ExprKind::VarRef) names.insert(static_cast<const ast::VarRef &>(e).name);
    });
}

}  // namespace

Parts assemble(const ast::Probe &probe, const Located &located) {
    Parts parts{std::make_unique<ast::Block>(probe.at), {}, 0};
    auto add = [&](const ast::StmtPtr &body, const ast::File &file) {
        if (!body) return;
        parts.body->body.push_back(ast::clone(*body));
        parts.seen_from.push_back(&file);
    };
    for (auto it = located.aliases.rbegin(); it != located.aliases.rend(); ++it) {
        if (!(*it)->epilogue) add((*it)->body, *(*it)->file);
    }
    parts.own = parts.body->body.size();
    add(probe.body, *probe.file);
    for (const ast::Alias *alias : located.aliases) {
        add(alias->epilogue ? alias->body : alias->epilogue_body, *alias->file);
    }
    return parts;
}

const ast::Alias *assigning(const Located &located) {
    return !located.aliases.empty() && located.aliases.back()->assigns_only ? located.aliases.back() : nullptr;
}

void leave_unread_out(Parts &parts) {
    std::set<std::string, std::less<>> read;
    for (size_t i = 1; i < parts.body->body.size(); ++i)
        collect_names(*parts.body->body[i], read);
    auto &prologue = static_cast<ast::Block &>(*parts.body->body.front());
    for (size_t i = prologue.body.size(); i-- > 0;) {
        const auto &assign =
            static_cast<const ast::Assign &>(*static_cast<const ast::ExprStmt &>(*prologue.body[i]).expr);
        if (read.contains(static_cast<const ast::VarRef &>(*assign.target).name))
            collect_names(*prologue.body[i], read);
        else
            prologue.body.erase(prologue.body.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void join_alike(const ast::Probe &probe, std::vector<Located> &places) {
    std::vector<Located> joined;
    std::map<std::string, size_t> known;
    for (Located &place : places) {
        if (!assigning(place)) {
            joined.push_back(std::move(place));
            continue;
        }
        Parts parts = assemble(probe, place);
        leave_unread_out(parts);
        std::string text = ast::print(*parts.body->body.front());
        for (size_t i = 0; i + 1 < place.aliases.size(); ++i)
            text += "\n" + std::to_string(reinterpret_cast<uintptr_t>(place.aliases[i]));
        for (const Condition &condition : place.conditions)
            text += "\n" + std::to_string(reinterpret_cast<uintptr_t>(condition.expr));
        const auto [at, is_new] = known.try_emplace(std::move(text), joined.size());
        if (is_new) {
            joined.push_back(std::move(place));
            continue;
        }
        auto &attaches = joined[at->second].attaches;
        std::move(place.attaches.begin(), place.attaches.end(), std::back_inserter(attaches));
    }
    places = std::move(joined);
}

std::vector<probes::Attach> join_places(std::vector<probes::Attach> &attaches) {
    std::vector<probes::Attach> joined;
    for (probes::Attach &attach : attaches) {
        const auto *calls = std::get_if<probes::SyscallPlaces>(&attach.arg);
        const auto fits = [&](const probes::Attach &other) {
            const auto *others = std::get_if<probes::SyscallPlaces>(&other.arg);
            return others && !others->every && others->at_return == calls->at_return &&
                   std::none_of(others->entries.begin(), others->entries.end(), [&](size_t i) {
                       return std::find(calls->entries.begin(), calls->entries.end(), i) != calls->entries.end();
                   });
        };
        const auto at = !calls || calls->every ? joined.end() : std::find_if(joined.begin(), joined.end(), fits);
        if (at == joined.end()) {
            joined.push_back(std::move(attach));
            continue;
        }
        std::vector<size_t> &entries = at->as<probes::SyscallPlaces>().entries;
        entries.insert(entries.end(), calls->entries.begin(), calls->entries.end());
    }
    return joined;
}

void add_site(probes::Attach &attach, const probes::FunctionSite &site) {
    if (attach.sites.empty()) attach.point = attach.point_prefix + site.label + attach.point_suffix;
    attach.sites.push_back(site);
}

std::string text_of(const Variant &variant) {
    std::string text = ast::print(*variant.parts.body);
    for (const std::string &save : variant.saves.texts)
        text += "\n" + save;
    // Members of values get their meaning from the values' types.
    ast::each_expr(*variant.parts.body, [&](const ast::Expr &e) {
        if (e.target_type) text += "\n" + std::to_string(reinterpret_cast<uintptr_t>(e.target_type));
    });
    return text + "\n" + variant.functions.text() + variant.entry_functions.text();
}

}  // namespace tapir::resolve
