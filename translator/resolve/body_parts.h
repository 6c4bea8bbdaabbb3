// SPDX-License-Identifier: GPL-2.0-or-later
// A handler's body while it is put together from a probe and the aliases that lead to it, and as it is at one place or
// another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "resolve/place_functions.h"
#include "resolve/points.h"

namespace tapir::resolve {

// The parts of a handler's body, each with the file whose names it sees.
struct Parts {
    std::unique_ptr<ast::Block> body;
    std::vector<const ast::File *> seen_from;
    size_t own = 0;  // the probe's own body among the parts

    Parts copy() const {
        Parts other{std::make_unique<ast::Block>(body->at), seen_from, own};
        for (const ast::StmtPtr &part : body->body)
            other.body->body.push_back(ast::clone(*part));
        return other;
    }
};

// A body as it is at one or more places.
struct Variant {
    Parts parts;
    EntrySaves saves;
    std::vector<probes::Attach> attaches;
    std::string module = {};  // of the places, if it matters to functions that are called
    // Called by the body, and by the code that saves values at the entry.
    PlaceFunctions functions = {}, entry_functions = {};
};

// Prologues from the inside out, the probe's own body, epilogues from the outside in.
Parts assemble(const ast::Probe &probe, const Located &located);

// The alias whose prologue is there for the values that others read, or null.
const ast::Alias *assigning(const Located &located);

// Leaves out of an assigning alias's prologue, the first part, what no other part names.
void leave_unread_out(Parts &parts);

// Joins places that differ only in unread values: hundreds of system calls, for a script that only wants their names.
void join_alike(const ast::Probe &probe, std::vector<Located> &places);

// Joins attachments to system calls, which with one handler are one probe, unless that would make two hits of a call
// into one.
std::vector<probes::Attach> join_places(std::vector<probes::Attach> &attaches);

// Adds a place to an attachment that has none or others.
void add_site(probes::Attach &attach, const probes::FunctionSite &site);

// Variants with the same text mean the same.
std::string text_of(const Variant &variant);

}  // namespace tapir::resolve
