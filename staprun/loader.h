// SPDX-License-Identifier: GPL-2.0-or-later
// Inserting and removing modules.
#pragma once

#include <string>
#include <vector>

#include "module/module_file.h"

namespace tapir::staprun {

// Inserts the image. `path`, unless it is empty, is used for the unchanged file, so that the kernel can check where it
// comes from. Without it the checked image in memory is inserted. Returns 0 or errno; on failure `log` gets the
// kernel's own words about the module.
int insert_module(const ModuleFile &file, const std::string &path, std::vector<std::string> &log);

// Removes it, trying again for up to `patience_ms` while it is in use. 0 or errno.
int remove_module(const std::string &name, unsigned patience_ms);

// All loaded modules that have a Tapir control file.
std::vector<std::string> list_tapir_modules();

}  // namespace tapir::staprun
