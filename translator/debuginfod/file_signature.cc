// SPDX-License-Identifier: GPL-2.0-or-later
#include "debuginfod/file_signature.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>

#include "common/base64.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/quoting.h"
#include "common/regular_file.h"
#include "trust/verify.h"

namespace tapir::debuginfod {

namespace {

Fault refused(const std::string &why) {
    return {FaultTag::DebugFileNotFetched, "the file is refused: " + why};
}

// A statement about another thing, in words that fit: those of verify() are about modules.
Fault other_statement(const trust::Manifest &manifest) {
    return refused("its signature is for '" + printable(manifest.name) + "' of build-id " +
                   printable(manifest.release));
}

Outcome<void> check_file(std::string_view signature, std::string_view image, const trust::Store &store, FileKind kind,
                         const std::string &build_id) {
    const trust::Subject subject{image, std::string(word_of(kind)), build_id, "", "none", 0};
    const trust::Verdict verdict = trust::verify(signature, subject, store, time(nullptr));
    if (verdict.outcome) return {};
    switch (verdict.outcome.fault().tag) {
        case FaultTag::NameMismatch:
        case FaultTag::KernelMismatch:
        case FaultTag::ArchitectureMismatch:
        case FaultTag::AbiMismatch:
            return other_statement(verdict.manifest);
        case FaultTag::DigestMismatch:
            return refused("it is not the file that the server signed");
        default:
            return refused(verdict.outcome.fault().message());
    }
}

}  // namespace

FileSigners::FileSigners() = default;
FileSigners::~FileSigners() = default;

Outcome<void> FileSigners::load(const std::string &file) {
    file_ = file;
    auto store = std::make_unique<trust::Store>();
    const Outcome<void> loaded = file.empty() ? store->load(trust::kStorePath, {}) : store->load_certificates(file);
    if (!loaded && file.empty() && loaded.fault().tag == FaultTag::StoreMissing) return {};
    if (!loaded) return loaded.fault();
    store_ = std::move(store);
    return {};
}

Outcome<void> FileSigners::check(std::string_view signature, const std::string &path, FileKind kind,
                                 const std::string &build_id) const {
    if (signature.empty())
        return file_.empty() ? Outcome<void>()
                             : refused("it has no signature, and " + printable(file_) + " demands one (signers=)");
    if (!store_) return {};
    const std::optional<std::string> message = from_base64(signature);
    if (!message) return refused("its signature is damaged: it is not base64");
    const Descriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat about = {};
    if (opened.get() < 0 || fstat(opened.get(), &about) != 0 || about.st_size == 0)
        return refused("it cannot be read: " + file_error(errno));
    const auto bytes = static_cast<size_t>(about.st_size);
    void *const memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, opened.get(), 0);
    if (memory == MAP_FAILED) return refused("it cannot be read: " + file_error(errno));
    Outcome<void> good =
        check_file(*message, std::string_view(static_cast<const char *>(memory), bytes), *store_, kind, build_id);
    munmap(memory, bytes);
    return good;
}

}  // namespace tapir::debuginfod
