// SPDX-License-Identifier: GPL-2.0-or-later
#include "probed_programs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/build_id.h"
#include "common/descriptor.h"
#include "common/hash.h"
#include "common/plain_text.h"
#include "common/regular_file.h"

namespace tapir::staprun {

namespace {

constexpr size_t kComparedPiece = 1 << 20;  // of a file, read at a time

std::string text_of(const char *text, size_t capacity) {
    return std::string(text, strnlen(text, capacity));
}

Fault arming_failed(const std::string &text) {
    return {FaultTag::ControlFailed, text};
}

// Identifies the code: the build-id of the file, else a hash of its bytes; "" if the file cannot be read.
std::string identity_of(int fd) {
    std::string build_id = build_id_of_file(fd);
    if (!build_id.empty()) return "build-id " + build_id;
    Hasher hasher;
    std::string piece(kComparedPiece, '\0');
    off_t at = 0;
    for (ssize_t got; (got = pread(fd, piece.data(), piece.size(), at)) != 0; at += got) {
        if (got < 0) return "";
        hasher.add(std::string_view(piece).substr(0, static_cast<size_t>(got)));
    }
    return "sha256 " + hasher.hex();
}

// Checks that the file is the one that the script was translated for.
Outcome<void> compare(int fd, const std::string &path, const tapir_ioc_program &program) {
    if (!program.size) return {};
    const std::string expected = text_of(program.build_id, sizeof program.build_id), found = build_id_of_file(fd);
    struct stat status = {};
    if (fstat(fd, &status) != 0)
        return arming_failed(format("Couldn't look at '%s': %s", path.c_str(), strerror(errno)));
    const bool same =
        expected.empty() ? found.empty() && static_cast<uint64_t>(status.st_size) == program.size : found == expected;
    if (same) return {};
    const std::string was =
        expected.empty() ? format("%llu bytes", static_cast<unsigned long long>(program.size)) : "build-id " + expected;
    const std::string is = found.empty() ? format("%lld bytes and no build-id", static_cast<long long>(status.st_size))
                                         : "build-id " + found;
    return Fault{FaultTag::BuildMismatch,
                 format("the script was translated for a '%s' with %s, but the file there now has %s; its probes would "
                        "be put in wrong places. Translate the script again",
                        path.c_str(), was.c_str(), is.c_str())};
}

}  // namespace

Outcome<void> Programs::open(Control &control, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tapir_ioc_program program = {};
        program.index = i;
        if (int error = control.program_get(program))
            return arming_failed(format("Couldn't ask the module for its programs: %s", strerror(error)));
        const std::string path = text_of(program.path, sizeof program.path);
        const int fd = open_regular(path.c_str());
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) continue;
        if (fd < 0) return arming_failed(format("Couldn't open '%s': %s", path.c_str(), file_error(errno).c_str()));
        const Outcome<void> same = compare(fd, path, program);
        File file = {path, {}, same ? identity_of(fd) : ""};
        if (fstat(fd, &file.status) == 0) files_.push_back(file);
        program.fd = fd;
        const int error = same ? control.program_set(program) : 0;
        close(fd);
        if (!same) return same;
        if (error) return arming_failed(format("the module refuses '%s': %s", path.c_str(), strerror(error)));
    }
    return {};
}

Programs::Change Programs::change_of(File &file) {
    struct stat now = {};
    const struct stat &then = file.status;
    // Links to files of processes go with these.
    if (file.path.starts_with("/proc/") && file.path.find("/root/") == std::string::npos) return Change::None;
    if (stat(file.path.c_str(), &now) != 0) return errno == ENOENT || errno == ENOTDIR ? Change::Removed : Change::None;
    if (now.st_dev != then.st_dev || now.st_ino != then.st_ino) return Change::Replaced;
    if (now.st_size == then.st_size && now.st_mtim.tv_sec == then.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == then.st_mtim.tv_nsec)
        return file.written ? Change::Written : Change::None;
    file.status = now;
    const Descriptor opened(open_regular(file.path.c_str()));
    file.written = opened.get() < 0 || file.identity.empty() || identity_of(opened.get()) != file.identity;
    return file.written ? Change::Written : Change::None;
}

std::vector<std::string> Programs::changes() {
    std::vector<std::string> texts;
    for (File &file : files_) {
        const Change change = change_of(file);
        if (change == file.told) continue;
        file.told = change;
        const std::string start = "'" + file.path + "' was ";
        if (change == Change::Replaced)
            texts.push_back(start +
                            "replaced while the script runs: processes that run the former file stay probed, those "
                            "that run the new one are not. Start the script again for these");
        else if (change == Change::Removed)
            texts.push_back(start + "removed while the script runs: processes that run it stay probed");
        else if (change == Change::Written)
            texts.push_back(start +
                            "written to while the script runs: its probes may be in wrong places. Start the script "
                            "again");
    }
    return texts;
}

}  // namespace tapir::staprun
