// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/result_key.h"

#include <cstdlib>

#include "backend/backend.h"
#include "common/hash.h"
#include "debuginfod/debug_servers.h"
#include "driver/script_options.h"

namespace tapir::driver {
std::string result_key(const State &state, const std::string &base_key) {
    const Options &o = state.options;
    Hasher hash;
    hash.add(base_key);
    hash.add(kLanguageVersion);
    for (const auto &source : state.sources)
        hash.add(source->name()).add(source->text());
    for (const std::string &argument : o.script_args)
        hash.add("argument").add(argument);
    for (const NameValue &define : o.defines)
        hash.add("-D").add(define.name).add(define.value);
    for (const NameValue &global : o.globals)
        if (!is_option(o, global.name)) hash.add("-G").add(global.name);
    add_option_key(o, hash);
    for (bool flag :
         {o.guru, o.unoptimized, o.autoprint, o.suppress_handler_errors, o.suppress_time_limits, o.warnings_as_errors,
          o.check_version, o.skip_badvars, o.live.on(), o.live.monitor, o.live.metrics, !o.budget.empty()})
        hash.add(flag ? "1" : "0");
    state.backend.add_key(hash);
    hash.add(o.compatible).add(o.prologue);
    hash.add(o.until);  // pass 1 looks whether the script has it
    if (o.array_size_max) hash.add("--array-size-max").add(std::to_string(*o.array_size_max));
    for (const std::string &argument : o.kbuild)
        hash.add("-B").add(argument);
    for (const NameValue &entry : o.modinfo)
        hash.add("modinfo").add(entry.name).add(entry.value);
    // Places in messages are those of the files as written.
    for (const auto *list : {&state.used_files, &state.used_texts})
        for (const auto &file : *list)
            hash.add(file->name()).add(file->text());
    for (const library::IndexedFile &file : state.tapset_files)
        hash.add(file.path).add(std::to_string(file.size)).add(std::to_string(file.mtime_ns));
    if (const char *path = std::getenv("SYSTEMTAP_DEBUGINFO_PATH")) hash.add("debug information").add(path);
    // Names that only servers have make points of patterns.
    if (!debuginfod::servers_of_environment().urls.empty()) hash.add("debug information of servers");
    hash.add(target::DebugInfo(debug_sources(state)).stamp());
    return hash.hex();
}

std::string result_key_with(const State &state, const std::string &key, const std::string &lookups) {
    if (lookups.empty()) return key;
    return Hasher().add(key).add(target::DebugInfo(debug_sources(state)).lookup_stamp(lookups)).hex();
}

}  // namespace tapir::driver
