// SPDX-License-Identifier: GPL-2.0-or-later
// Any file as an index: what is found in it may be wrong, but finding it stays inside the file.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "dwarf/functions.h"
#include "dwarf/index_format.h"

using namespace tapir::dwarf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::string content(reinterpret_cast<const char *>(data), size);
    // Inputs that only claim to be an index get a valid header, so that the rest is reached.
    if (content.size() >= sizeof(IndexHeader)) {
        auto *header = reinterpret_cast<IndexHeader *>(content.data());
        std::copy(std::begin(kIndexMagic), std::end(kIndexMagic), header->magic);
        header->version = kIndexVersion;
        header->length = content.size();
        header->identity[0] = '\0';
    }
    const int fd = memfd_create("index", MFD_CLOEXEC);
    if (fd < 0) return 0;
    const bool written = write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
    const auto index = written ? Index::map("/proc/self/fd/" + std::to_string(fd), "") : nullptr;
    close(fd);
    if (!index) return 0;
    size_t bytes = index->source_root().size();
    for (const FunctionEntry &entry : index->functions()) {
        bytes += index->text(entry.name).size() + index->functions(index->text(entry.name)).size();
        bytes += index->instances(entry).size() + shown_file(*index, entry.file).size();
        bytes += index->function_at(entry.entry) != nullptr;
        bytes += index->qualified_name(entry.scope, entry.name).size();
        bytes += index->functions_of_base(index->text(entry.name)).size();
    }
    for (const TypeEntry &entry : index->types())
        bytes += index->types(index->text(entry.name)).size();
    for (const VariableEntry &entry : index->variables())
        bytes += index->variables(index->text(entry.name)).size();
    for (const EnumeratorEntry &entry : index->enumerators())
        bytes += index->enumerators(index->text(entry.name)).size();
    return bytes == SIZE_MAX;
}
