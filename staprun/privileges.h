// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace tapir::staprun {

// Gives up all capabilities but the one to remove the module and, with `keep_file_access`, the one to create further
// output files. Commands started later get the user's full rights back through exec, as they would have had without
// staprun.
void drop_privileges(bool keep_file_access);

}  // namespace tapir::staprun
