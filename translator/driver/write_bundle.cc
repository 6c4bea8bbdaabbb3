// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/write_bundle.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "backend/launch.h"
#include "bundle/bundle.h"
#include "common/build_id.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/hash.h"
#include "common/regular_file.h"
#include "target/symbol_readers.h"

namespace tapir::driver {
namespace {

// A file that belongs into the bundle; false after reporting.
bool take(const std::string &path, std::string &bytes, Diagnostics &diagnostics) {
    std::optional<std::string> text = read_file(path);
    if (text) {
        bytes = std::move(*text);
        return true;
    }
    diagnostics.report(Tag::BundleIncomplete,
                       "Cannot put '" + path + "' into the bundle: " + file_error(errno) + " (--bundle).");
    return false;
}

}  // namespace

std::string write_bundle(State &state) {
    bundle::Contents contents;
    contents.name = std::filesystem::path(state.module_path).stem();
    if (!take(state.module_path, contents.module, state.diagnostics)) return "";
    const std::string signature = state.module_path + ".sig";
    if (is_file(signature) && !take(signature, contents.signature, state.diagnostics)) return "";
    // The manifest that was signed is in it as plain text.
    if (!contents.signature.empty() &&
        contents.signature.find("\nsha256: " + sha256(contents.module) + "\n") == std::string::npos) {
        state.diagnostics.report(Tag::BundleIncomplete,
                                 "Cannot put '" + signature +
                                     "' into the bundle: it is the signature of another module; remove it, or sign "
                                     "this one (--bundle).");
        return "";
    }
    std::string loader = staprun_path();
    if (const Outcome<std::string> found = find_program(loader)) loader = *found;
    if (!take(loader, contents.loader, state.diagnostics)) return "";
    if (std::string why = bundle::loader_problem(contents.loader); !why.empty()) {
        state.diagnostics.report(Tag::BundleIncomplete, "Cannot put '" + loader + "' into the bundle: " + why +
                                                            " (--bundle, SYSTEMTAP_STAPRUN).");
        return "";
    }
    contents.script = state.sources.front()->name();
    contents.script_sha256 = sha256(state.sources.front()->text());
    contents.release = state.kernel->release;
    if (state.kernel->is_running)
        if (const auto notes = read_file("/sys/kernel/notes")) contents.build_id = build_id_of_notes(*notes);
    contents.arch = state.kernel->arch;
    contents.version = TAPIR_VERSION;
    contents.options = staprun_options(state.options);
    for (const NameValue &global : state.options.globals)
        contents.globals.push_back(global.name + "=" + global.value);

    std::string problem;
    const std::string bytes = bundle::archive(contents, problem);
    const std::string path = state.options.bundle_file.empty() ? contents.name + ".tar" : state.options.bundle_file;
    if (problem.empty() && replace_file(path, bytes)) return path;
    if (problem.empty()) problem = std::strerror(errno);
    state.diagnostics.report(Tag::OutputUnwritable,
                             "Cannot write the bundle '" + path + "': " + problem + " (--bundle).");
    return "";
}

}  // namespace tapir::driver
