// SPDX-License-Identifier: GPL-2.0-or-later
#include "objects.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>

#include "plain_text.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMaxNotes = 65536;

std::string hexadecimal(std::string_view bytes) {
    std::string text;
    for (unsigned char byte : bytes)
        text += format("%02x", byte);
    return text;
}

std::string what_differs(const std::string &what, const std::string &expected, const std::string &found) {
    std::string is = found.empty() ? "does not tell its build-id" : "has build-id " + found;
    return format(
        "the script was translated by debug information for a build of %s with build-id %s, but the one that is "
        "running %s; their addresses differ, so its probes would be put in wrong places. Translate the script again "
        "with debug information of this build",
        what.c_str(), expected.c_str(), is.c_str());
}

}  // namespace

std::string build_id_of_notes(std::string_view notes) {
    const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
    while (notes.size() >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr header;
        memcpy(&header, notes.data(), sizeof header);
        const uint64_t name_at = sizeof header;
        const uint64_t content_at = name_at + padded(header.n_namesz);
        if (content_at > notes.size() || header.n_descsz > notes.size() - content_at) return {};
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && memcmp(notes.data() + name_at, "GNU", 4) == 0)
            return hexadecimal(notes.substr(content_at, header.n_descsz));
        const uint64_t next = content_at + padded(header.n_descsz);
        if (next >= notes.size()) return {};
        notes.remove_prefix(next);
    }
    return {};
}

std::string check_objects(Control &control, uint32_t count, const std::string &sysfs) {
    for (uint32_t i = 0; i < count; i++) {
        tapir_ioc_object object = {};
        object.index = i;
        if (int error = control.object(object))
            return format("Couldn't ask the module what it was translated for: %s", strerror(error));
        const std::string module(object.module, strnlen(object.module, sizeof object.module));
        const std::string expected(object.build_id, strnlen(object.build_id, sizeof object.build_id));
        const std::string place = sysfs + "/module/" + module;
        // What is built into the kernel has a folder there too, but no state.
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
