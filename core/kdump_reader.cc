// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/kdump_reader.h"

#include <dlfcn.h>
#include <libkdumpfile/kdumpfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "arch/c/core_machine.h"

namespace tapir::core {

namespace {

constexpr uint32_t kBlock = 4096;                  // bytes of a page, and of a block of the file
constexpr uint64_t kMaxFacts = uint64_t{1} << 20;  // bytes

// The first two blocks of such a file, as far as they matter here: struct disk_dump_header and struct
// kdump_sub_header of makedumpfile, on 64-bit machines.
struct Header {
    char signature[8];
    int32_t version;
    char names[6][65];  // struct new_utsname; the fifth is the machine's
    char padding[6];
    int64_t time[2];
    uint32_t status;
    int32_t block_size, sub_blocks;
    uint32_t bitmap_blocks, max_page;
};
static_assert(offsetof(Header, block_size) == 428);

struct SubHeader {
    uint64_t physical_base;
    int32_t level, split;
    uint64_t first_page, end_page;
    uint64_t facts_place, facts_size;  // VMCOREINFO
    uint64_t notes_place, notes_size, erased_place, erased_size;
    uint64_t first_page_64, end_page_64, max_page_64;  // from version 6 on
};

struct Library {
    decltype(&kdump_new) make = nullptr;
    decltype(&kdump_free) free = nullptr;
    decltype(&kdump_open_fdset) open = nullptr;
    decltype(&kdump_set_attr) set = nullptr;
    decltype(&kdump_read) read = nullptr;
    decltype(&kdump_get_err) error = nullptr;
    std::string missing;
};

const Library &library() {
    static const Library loaded = [] {
        Library made;
        void *handle = dlopen(TAPIR_KDUMP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        const auto find = [&](auto &function, const char *name) {
            function = handle ? reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name)) : nullptr;
            if (!function)
                made.missing = "libkdumpfile (" TAPIR_KDUMP_LIBRARY
                               "), which reads such dumps, is not here; install it, or let 'makedumpfile -E' or QEMU's "
                               "dump-guest-memory without -z write an ELF dump";
        };
        find(made.make, "kdump_new");
        find(made.free, "kdump_free");
        find(made.open, "kdump_open_fdset");
        find(made.set, "kdump_set_attr");
        find(made.read, "kdump_read");
        find(made.error, "kdump_get_err");
        return made;
    }();
    return loaded;
}

template <class T>
bool read_one(int file, uint64_t place, T &out) {
    return pread(file, &out, sizeof out, static_cast<off_t>(place)) == static_cast<ssize_t>(sizeof out);
}

// Before the library sees a file: sizes that it does not have are refused here.
Outcome<std::string> checked_facts(int file) {
    Header header;
    SubHeader sub;
    struct stat status = {};
    if (fstat(file, &status) != 0 || !read_one(file, 0, header) || !read_one(file, kBlock, sub))
        return Fault{FaultTag::CoreDamaged, "ends within its header"};
    const std::string_view machine(header.names[4], strnlen(header.names[4], sizeof header.names[4]));
    if (machine != TAPIR_KDUMP_MACHINE)
        return Fault{FaultTag::CoreForeign, "is of another architecture (" + std::string(machine.substr(0, 16)) + ")",
                     "analyse it on a machine of that architecture; of " TAPIR_CORE_MACHINES " it can be read"};
    const auto size = static_cast<uint64_t>(status.st_size);
    if (header.block_size != static_cast<int32_t>(kBlock) || header.sub_blocks < 1)
        return Fault{FaultTag::CoreDamaged, "has blocks of another size"};
    const uint64_t front = (1 + static_cast<uint64_t>(header.sub_blocks) + header.bitmap_blocks) * kBlock;
    if (front > size) return Fault{FaultTag::CoreDamaged, "ends within the list of its pages"};
    // Two bitmaps, of the pages that there were and of those that are here.
    const uint64_t pages = header.version >= 6 ? sub.max_page_64 : header.max_page;
    if (std::max<uint64_t>(pages, header.max_page) / 8 > uint64_t{header.bitmap_blocks} / 2 * kBlock)
        return Fault{FaultTag::CoreDamaged, "has more pages than it lists"};
    const auto is_inside = [&](uint64_t place, uint64_t length) { return place <= size && length <= size - place; };
    if (sub.facts_size > kMaxFacts || !is_inside(sub.facts_place, sub.facts_size))
        return Fault{FaultTag::CoreDamaged, "ends within what it tells of its kernel"};
    if (!is_inside(sub.notes_place, sub.notes_size) || !is_inside(sub.erased_place, sub.erased_size))
        return Fault{FaultTag::CoreDamaged, "ends within its notes"};
    std::string facts(sub.facts_size, 0);
    if (pread(file, facts.data(), facts.size(), static_cast<off_t>(sub.facts_place)) !=
        static_cast<ssize_t>(facts.size()))
        return Fault{FaultTag::CoreDamaged, "ends within what it tells of its kernel"};
    return facts;
}

kdump_ctx_t *context_of(void *context) {
    return static_cast<kdump_ctx_t *>(context);
}

}  // namespace

std::string KdumpReader::missing() {
    return library().missing;
}

Outcome<std::unique_ptr<KdumpReader>> KdumpReader::open(int file) {
    Outcome<std::string> facts = checked_facts(file);
    if (!facts) return facts.fault();
    if (!missing().empty()) return Fault{FaultTag::CoreForeign, "is a dump in the format of kdump, and " + missing()};
    std::unique_ptr<KdumpReader> reader(new KdumpReader);
    reader->facts_ = std::move(*facts);
    reader->context_ = library().make();
    if (!reader->context_) return Fault{FaultTag::CoreUnreadable, "cannot be read: no memory"};
    kdump_ctx_t *context = context_of(reader->context_);
    // A file that gets shorter is an error of a read then, not a signal.
    kdump_attr_t never;
    never.type = KDUMP_NUMBER;
    never.val.number = KDUMP_MMAP_NEVER;
    library().set(context, KDUMP_ATTR_FILE_MMAP_POLICY, &never);
    if (library().open(context, 1, &file) != KDUMP_OK) {
        const char *why = library().error(context);
        // libkdumpfile 0.5.1 crashes when it frees a context whose file it could not open: the context is leaked.
        reader->context_ = nullptr;
        return Fault{FaultTag::CoreDamaged, std::string("cannot be read: libkdumpfile says: ") + (why ? why : "error")};
    }
    return reader;
}

KdumpReader::~KdumpReader() {
    if (context_) library().free(context_of(context_));
}

bool KdumpReader::read(void *to, uint64_t address, uint32_t length) const {
    size_t got = length;
    return library().read(context_of(context_), KDUMP_MACHPHYSADDR, address, to, &got) == KDUMP_OK && got == length;
}

}  // namespace tapir::core
