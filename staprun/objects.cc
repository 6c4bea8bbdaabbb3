// SPDX-License-Identifier: GPL-2.0-or-later
#include "objects.h"

#include <unistd.h>

#include <cstring>

#include "common/build_id.h"
#include "common/files.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMaxNotes = 65536;

Fault what_differs(const std::string &what, const std::string &expected, const std::string &found) {
    std::string is = found.empty() ? "does not tell its build-id" : "has build-id " + found;
    const std::string text = format(
        "the script was translated by debug information for a build of %s with build-id %s, but the one that is "
        "running %s; their addresses differ, so its probes would be put in wrong places. Translate the script again "
        "with debug information of this build",
        what.c_str(), expected.c_str(), is.c_str());
    return {FaultTag::BuildMismatch, text};
}

}  // namespace

Outcome<void> check_objects(Control &control, uint32_t count, const std::string &sysfs) {
    for (uint32_t i = 0; i < count; i++) {
        tapir_ioc_object object = {};
        object.index = i;
        if (int error = control.object(object))
            return Fault{FaultTag::ControlFailed,
                         format("Couldn't ask the module what it was translated for: %s", strerror(error))};
        const std::string module(object.module, strnlen(object.module, sizeof object.module));
        const std::string expected(object.build_id, strnlen(object.build_id, sizeof object.build_id));
        const std::string place = sysfs + "/module/" + module;
        // Built-in code has a directory there too, but no state.
        if (!module.empty() && access((place + "/initstate").c_str(), F_OK) != 0) continue;
        std::string notes;
        read_file((module.empty() ? sysfs + "/kernel/notes" : place + "/notes/.note.gnu.build-id").c_str(), kMaxNotes,
                  notes);
        const std::string found = build_id_of_notes(notes);
        if (found != expected)
            return what_differs(module.empty() ? "the kernel" : "module '" + module + "'", expected, found);
    }
    return {};
}

}  // namespace tapir::staprun
