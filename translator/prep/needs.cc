// SPDX-License-Identifier: GPL-2.0-or-later
#include "prep/needs.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "common/build_id.h"
#include "common/files.h"
#include "common/quoting.h"
#include "common/regular_file.h"
#include "debuginfod/debug_fetcher.h"
#include "debuginfod/symbol_packages.h"
#include "dwarf/object.h"
#include "syntax/parser.h"
#include "target/cache_dir.h"
#include "target/distribution.h"
#include "target/kernel.h"
#include "target/program_files.h"

namespace tapir::prep {

namespace {

std::string running_release() {
    utsname names = {};
    return uname(&names) == 0 ? names.release : "";
}

// stap tells what else is wrong with a script: only its probe points count here.
void read_script(const std::string &path, const std::string &release, ScriptNeeds &needs, Diagnostics &diagnostics) {
    const auto text = read_file(path);
    if (!text) {
        diagnostics.report(Tag::UsageError, "cannot read the script " + printable(path) + ": " + file_error(errno));
        return;
    }
    const SourceFile source(path, *text, Origin::UserScript);
    syntax::ParseOptions options;
    options.guru = true;
    options.facts.kernel_vr = release;
    options.facts.kernel_v = release.substr(0, release.find('-'));
    options.facts.guru_mode = true;
    Diagnostics ignored;
    add_needs(*syntax::parse(source, options, ignored), needs);
}

// The first that is there.
std::string find_vmlinux(const std::string &release) {
    for (const std::string &root : {std::string(), target::cache_dir() + "/kernels/" + release})
        for (const char *below : {"/usr/lib/debug/boot/vmlinux-", "/usr/lib/debug/lib/modules/"}) {
            const std::string path =
                root + below + release + (std::string_view(below).ends_with("modules/") ? "/vmlinux" : "");
            if (is_file(path)) return path;
        }
    return "";
}

Subject look_at_kernel(const Needs &needs, const std::string &reason) {
    const std::string &release = needs.release;
    Subject subject{"kernel " + printable(release), {}};
    target::FindOptions options;
    Diagnostics why;
    const auto kernel = target::find_kernel(release, options, why);
    Need headers{Need::State::Missing, "headers", "", "linux-headers-" + release};
    if (kernel && !kernel->build_dir.empty()) {
        headers.state = Need::State::There;
        headers.place = kernel->build_dir;
    } else if (!target::apt_knows(headers.package)) {
        headers.remark = target::no_headers_package("/", release);
        if (headers.remark.empty()) headers.remark = target::install_headers("", release);
        headers.package.clear();
    }
    subject.needs.push_back(headers);
    Need debug{needs.kernel_debug ? Need::State::Missing : Need::State::Optional, "debug information",
               find_vmlinux(release), "linux-image-" + release + "-dbg"};
    const auto notes = release == running_release() ? read_file("/sys/kernel/notes") : std::nullopt;
    if (notes) debug.build_id = build_id_of_notes(*notes);
    if (debug.place.empty() && !debug.build_id.empty())
        debug.place = debuginfod::DebugCache(debuginfod::servers_of_environment().cache)
                          .find(debuginfod::FileKind::DebugInfo, debug.build_id)
                          .value_or("");
    if (!debug.place.empty()) {
        debug.state = Need::State::There;
    } else {
        if (!target::apt_knows(debug.package)) {
            debug.remark = "apt knows no package " + debug.package;
            debug.package.clear();
        }
        const std::string use =
            !reason.empty() ? "for " + reason : "for local variables, statements and inlined functions of the kernel";
        debug.remark += (debug.remark.empty() ? "" : "; ") + use;
    }
    subject.needs.push_back(debug);
    return subject;
}

// A program with the debug information that is found for it.
struct LookedAt {
    std::string path;
    Need need;
    bool damaged = false;
};

LookedAt look_at_program(const std::string &path, const debuginfod::DebugCache &cache) {
    LookedAt program{path, {Need::State::Missing, "debug information", "", ""}};
    std::string error;
    const auto object = dwarf::Object::open(path, error);
    program.damaged = !object;
    if (!object) {
        program.need.remark = error;
        return program;
    }
    program.need.build_id = object->build_id();
    if (object->dwarf())
        program.need.place = object->debug_file();
    else if (debuginfod::is_debug_id(object->build_id()))
        program.need.place = cache.find(debuginfod::FileKind::DebugInfo, object->build_id()).value_or("");
    if (!program.need.place.empty()) program.need.state = Need::State::There;
    return program;
}

void name_packages(std::vector<LookedAt> &programs) {
    debuginfod::FileOwners owners;
    debuginfod::SymbolPackages packages;
    const auto wants = [](const LookedAt &program) {
        return program.need.state == Need::State::Missing && !program.damaged;
    };
    for (const LookedAt &program : programs)
        if (wants(program)) owners.want(program.path);
    owners.ask();
    for (const LookedAt &program : programs)
        if (const auto owner = wants(program) ? owners.of(program.path) : std::nullopt; owner && !owner->empty())
            packages.want(*owner);
    packages.ask();
    for (LookedAt &program : programs) {
        if (!wants(program)) continue;
        const auto owner = owners.of(program.path);
        if (!owner || owner->empty()) {
            program.need.remark = "no package has this file: compile it with -g, and do not strip it";
            continue;
        }
        program.need.package = packages.known(*owner);
        if (program.need.package.empty()) program.need.remark = "apt does not know " + *owner + "-dbgsym, which has it";
    }
}

void look_at_programs(const std::vector<std::string> &names, Needs &needs, Diagnostics &diagnostics) {
    const debuginfod::DebugCache cache(debuginfod::servers_of_environment().cache);
    std::vector<LookedAt> programs;
    for (const std::string &name : names) {
        const std::vector<std::string> paths = target::find_programs(name);
        if (paths.empty()) {
            std::string near;
            for (const std::string &similar : target::similar_programs(name))
                near += (near.empty() ? " (similar: " : ", ") + printable(similar);
            diagnostics.report(Tag::UsageError,
                               "there is no program " + printable(name) + near + (near.empty() ? "" : ")"));
        }
        for (const std::string &path : paths)
            if (std::none_of(programs.begin(), programs.end(), [&](const LookedAt &p) { return p.path == path; }))
                programs.push_back(look_at_program(path, cache));
    }
    name_packages(programs);
    for (LookedAt &program : programs)
        needs.subjects.push_back({printable(program.path), {std::move(program.need)}});
}

// Servers that have the debug files for which no package is known.
void ask_servers(const PrepOptions &options, Needs &needs, Diagnostics &diagnostics) {
    Outcome<debuginfod::DebugServers> servers = debuginfod::servers_of_settings(options.server);
    if (!servers) {
        diagnostics.report(Tag::UsageError, servers.fault().message());
        return;
    }
    debuginfod::DebugFetcher fetcher(std::move(*servers));
    if (!fetcher.asks()) return;
    for (Subject &subject : needs.subjects)
        for (Need &need : subject.needs) {
            if (need.state != Need::State::Missing || !need.package.empty() || need.build_id.empty()) continue;
            const auto offer = fetcher.offer(debuginfod::FileKind::DebugInfo, need.build_id);
            if (!offer) {
                if (offer.fault().tag == FaultTag::DebugFileNotFetched) need.remark += "; " + offer.fault().message();
                continue;
            }
            need.url = offer->url;
            need.bytes = offer->bytes;
            need.remark.clear();
        }
}

}  // namespace

Needs find_needs(const PrepOptions &options, Diagnostics &diagnostics) {
    Needs needs;
    needs.release = options.release.empty() ? running_release() : options.release;
    ScriptNeeds wanted;
    for (const std::string &script : options.scripts)
        read_script(script, needs.release, wanted, diagnostics);
    needs.kernel_debug = options.kernel_debug || !wanted.reason.empty();
    needs.modules = wanted.modules;
    needs.subjects.push_back(look_at_kernel(needs, wanted.reason));
    std::vector<std::string> programs = options.programs;
    programs.insert(programs.end(), wanted.programs.begin(), wanted.programs.end());
    look_at_programs(programs, needs, diagnostics);
    ask_servers(options, needs, diagnostics);
    return needs;
}

}  // namespace tapir::prep
