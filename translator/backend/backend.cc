// SPDX-License-Identifier: GPL-2.0-or-later
#include "backend/backend.h"

#include <cstdio>

#include "target/cache_dir.h"

namespace tapir::driver {

build::BuilderOptions Backend::builder_options(const BuildPlaces &places) const {
    build::BuilderOptions made;
    made.cache_root = target::cache_dir();
    made.cache = options_.cache == CacheMode::Disable  ? build::CacheMode::Disabled
                 : options_.cache == CacheMode::Poison ? build::CacheMode::Poison
                                                       : build::CacheMode::Use;
    made.version = TAPIR_VERSION;
    made.work = places.work;
    made.note = [verbosity = options_.verbosity[4]](int level, const std::string &text) {
        if (verbosity >= level) std::fprintf(stderr, "%s\n", text.c_str());
    };
    return made;
}

std::unique_ptr<Backend> choose_backend(const Options &options, Diagnostics &diagnostics) {
    // These are about the kernel alone.
    const bool of_kernel = options.action == Action::Prepare || options.action == Action::Doctor;
    return options.looks_at_still() && !of_kernel ? make_still_backend(options, diagnostics)
                                                  : make_module_backend(options, diagnostics);
}

}  // namespace tapir::driver
