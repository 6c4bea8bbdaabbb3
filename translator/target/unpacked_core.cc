// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/unpacked_core.h"

#include <archive.h>
#include <archive_entry.h>
#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/regular_file.h"

namespace tapir::target {

namespace {

constexpr size_t kPage = 4096, kRead = size_t{1} << 16;

constexpr std::string_view kFlattened("makedumpfile\0\0\0\0", 16);

// True for frames of zstd and lz4 without packed content. pzstd begins with one.
bool is_skippable(std::string_view head) {
    return head.size() >= 4 && (head[0] & 0xf0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18";
}

// Compressed, or in pieces.
bool is_packed(std::string_view head) {
    using namespace std::string_view_literals;
    if (head.starts_with(kFlattened) || is_skippable(head)) return true;
    // gzip, compress, bzip2, lzip, xz, zstd, lz4, and lz4 in its first format
    for (std::string_view magic : {"\x1f\x8b"sv, "\x1f\x9d"sv, "BZh"sv, "LZIP"sv, "\xfd\x37zXZ\0"sv,
                                   "\x28\xb5\x2f\xfd"sv, "\x04\x22\x4d\x18"sv, "\x02\x21\x4c\x18"sv})
        if (head.starts_with(magic)) return true;
    return false;
}

// Names the packer of a file that is not unpacked here; null if it is unknown.
const char *foreign_packer(std::string_view head) {
    using namespace std::string_view_literals;
    struct Packer {
        std::string_view magic;
        const char *name;
    };
    static constexpr Packer kPackers[] = {
        {"PK\x03\x04"sv, "zip"},           {"7z\xbc\xaf\x27\x1c"sv, "7-Zip"}, {"LRZI"sv, "lrzip"},
        {"\x89LZO\0\r\n"sv, "lzop"},       {"Rar!\x1a\x07"sv, "rar"},         {"\x5d\0\0"sv, "lzma"},
        {"\xff\x06\0\0sNaPpY"sv, "snappy"}};
    for (const Packer &packer : kPackers)
        if (head.starts_with(packer.magic)) return packer.name;
    return nullptr;
}

// A packed file as it comes, without the frames at its beginning that have nothing of it.
class PackedInput {
  public:
    explicit PackedInput(int file) : file_(file), buffer_(kRead) {}
    // Returns the first bytes, at most 16; fewer if the input ends.
    std::string_view head() {
        fill(16);
        return std::string_view(buffer_.data() + at_, std::min<size_t>(end_ - at_, 16));
    }
    void skip_frames() {
        while (is_skippable(head())) {
            if (fill(8) < 8) return;
            uint32_t size = 0;
            std::memcpy(&size, buffer_.data() + at_ + 4, sizeof size);
            uint64_t left = uint64_t{8} + le32toh(size);
            while (left > 0 && fill(1) > 0) {
                const size_t part = std::min<uint64_t>(left, end_ - at_);
                at_ += part;
                left -= part;
            }
        }
    }
    // For libarchive.
    static la_ssize_t read(archive *of, void *self, const void **bytes) {
        auto &in = *static_cast<PackedInput *>(self);
        const size_t got = in.fill(1);
        if (got == 0 && in.error_ != 0) {
            archive_set_error(of, in.error_, "%s", std::strerror(in.error_));
            return ARCHIVE_FATAL;
        }
        *bytes = in.buffer_.data() + in.at_;
        in.at_ = in.end_;
        return static_cast<la_ssize_t>(got);
    }

  private:
    // So many bytes at least, unless it ends before; how many there are.
    size_t fill(size_t least) {
        if (end_ - at_ < least) {
            std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
            end_ -= at_;
            at_ = 0;
        }
        while (end_ - at_ < least) {
            const ssize_t got = ::read(file_, buffer_.data() + end_, buffer_.size() - end_);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) error_ = errno;
            if (got <= 0) break;
            end_ += static_cast<size_t>(got);
        }
        return end_ - at_;
    }

    int file_, error_ = 0;
    std::vector<char> buffer_;
    size_t at_ = 0, end_ = 0;
};

// A dump of a kernel that was written to a pipe (makedumpfile -F, and QEMU): pieces, each with its place in the file.
class Pieces {
  public:
    static constexpr size_t kHead = 4096;
    // Reads the piece's place and size, which follow the head and each piece; false if no piece follows.
    bool begin(const char *record) {
        place_ = number(record);
        left_ = number(record + 8);
        return place_ != UINT64_MAX || left_ != UINT64_MAX;
    }
    uint64_t place() const { return place_; }
    uint64_t left() const { return left_; }
    void take(uint64_t bytes) {
        place_ += bytes;
        left_ -= bytes;
    }

  private:
    static uint64_t number(const char *bytes) {
        uint64_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return be64toh(value);
    }
    uint64_t place_ = 0, left_ = 0;
};

// A file without a name, open in programs that this one starts, too.
Descriptor nameless_file(const std::string &directory) {
    Descriptor file(open(directory.c_str(), O_TMPFILE | O_RDWR, 0600));
    if (file.get() >= 0) return file;
    std::string path = directory + "/tapir-core-XXXXXX";
    Descriptor named(mkstemp(path.data()));
    if (named.get() >= 0) unlink(path.c_str());
    return named;
}

class Unpacker {
  public:
    Unpacker(std::string name, uint64_t most) : name_(std::move(name)), directory_(temporary_root()), most_(most) {}

    Outcome<UnpackedCore> run(int input) {
        UnpackedCore core;
        core.file = nameless_file(directory_);
        struct statvfs space = {};
        if (core.file.get() < 0 || fstatvfs(core.file.get(), &space) != 0) return full(std::strerror(errno));
        room_ = static_cast<uint64_t>(space.f_bavail) * space.f_frsize / 2;
        file_ = core.file.get();
        const std::unique_ptr<archive, decltype(&archive_read_free)> in(archive_read_new(), archive_read_free);
        archive_read_support_filter_gzip(in.get());
        archive_read_support_filter_compress(in.get());
        archive_read_support_filter_bzip2(in.get());
        archive_read_support_filter_lzip(in.get());
        archive_read_support_filter_xz(in.get());
        archive_read_support_filter_zstd(in.get());
        archive_read_support_filter_lz4(in.get());
        archive_read_support_format_raw(in.get());
        archive_entry *entry = nullptr;
        PackedInput packed(input);
        packed.skip_frames();
        if (const char *packer = foreign_packer(packed.head())) return foreign(packer);
        if (archive_read_open(in.get(), &packed, nullptr, PackedInput::read, nullptr) != ARCHIVE_OK ||
            archive_read_next_header(in.get(), &entry) != ARCHIVE_OK)
            return damaged("cannot be unpacked: " + said(in.get()));
        for (;;) {
            const void *bytes = nullptr;
            size_t size = 0;
            la_int64_t at = 0;
            const int result = archive_read_data_block(in.get(), &bytes, &size, &at);
            if (result == ARCHIVE_EOF) break;
            if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
                if (length_ == 0 && begun_.empty()) return damaged("cannot be unpacked: " + said(in.get()));
                core.warning =
                    name_ + " ends too early, or is damaged (" + said(in.get()) + "); what is in front of that is used";
                break;
            }
            if (Outcome<void> put = add({static_cast<const char *>(bytes), size}); !put) return put.fault();
        }
        if (Outcome<void> put = finish(core.warning); !put) return put.fault();
        if (ftruncate(file_, static_cast<off_t>(length_)) != 0) return full(std::strerror(errno));
        core.path = "/proc/self/fd/" + std::to_string(file_);
        return core;
    }

  private:
    static std::string said(archive *in) {
        const char *text = archive_error_string(in);
        return text ? text : "it is empty";
    }
    Fault damaged(const std::string &why) const { return Fault{FaultTag::CoreDamaged, name_ + " " + why}; }
    Fault foreign(const std::string &packer) const {
        return Fault{FaultTag::CoreDamaged, name_ + " is packed by " + packer + ", which stap does not unpack",
                     "unpack it first; gzip, bzip2, xz, zstd and lz4 need not be"};
    }
    Fault full(const std::string &why) const {
        return Fault{FaultTag::CoreUnreadable, name_ + " cannot be unpacked to " + directory_ + ": " + why,
                     "TMPDIR names another directory"};
    }

    // Adds the next unpacked bytes.
    Outcome<void> add(std::string_view bytes) {
        // The beginning shows whether the core is in pieces, and may come byte by byte.
        if (kind_ == Kind::NotKnown) {
            begun_.append(bytes);
            if (begun_.size() < kFlattened.size()) return {};
            kind_ = begun_.starts_with(kFlattened) ? Kind::Pieces : Kind::Whole;
            const std::string all = std::move(begun_);
            begun_.clear();
            return add(all);
        }
        if (kind_ == Kind::Whole) return write(length_, bytes);
        while (!bytes.empty() && !ended_) {
            if (pieces_.left() > 0) {
                const std::string_view part = bytes.substr(0, pieces_.left());
                if (Outcome<void> put = write(pieces_.place(), part); !put) return put;
                pieces_.take(part.size());
                bytes.remove_prefix(part.size());
                continue;
            }
            const size_t wanted = headed_ ? 16 : Pieces::kHead;
            const size_t part = std::min(wanted - begun_.size(), bytes.size());
            begun_.append(bytes.substr(0, part));
            bytes.remove_prefix(part);
            if (begun_.size() < wanted) break;
            if (headed_) ended_ = !pieces_.begin(begun_.data());
            headed_ = true;
            begun_.clear();
        }
        return {};
    }

    Outcome<void> finish(std::string &warning) {
        if (kind_ == Kind::NotKnown) return write(0, begun_);
        if (kind_ == Kind::Pieces && !ended_ && warning.empty())
            warning = name_ + " ends too early; what is in front of that is used";
        return {};
    }

    // Pages of zeroes become holes at the end of the file so far.
    Outcome<void> write(uint64_t at, std::string_view bytes) {
        static const char zeroes[kPage] = {};
        if (bytes.size() > most_ - std::min(most_, at))
            return Fault{FaultTag::CoreDamaged,
                         name_ + " unpacks to more than " + std::to_string(most_ >> 30) +
                             " GB, and may have been made to fill the disk",
                         "--max-core-size=GB allows more"};
        while (!bytes.empty()) {
            const size_t part = std::min(bytes.size(), kPage - static_cast<size_t>(at % kPage));
            if (at < length_ || std::memcmp(bytes.data(), zeroes, part) != 0) {
                if (part > room_) return full("it takes more than half of what is free there");
                const ssize_t put = pwrite(file_, bytes.data(), part, static_cast<off_t>(at));
                if (put != static_cast<ssize_t>(part)) return full(std::strerror(put < 0 ? errno : ENOSPC));
                room_ -= part;
            }
            at += part;
            length_ = std::max(length_, at);
            bytes.remove_prefix(part);
        }
        return {};
    }

    enum class Kind : uint8_t { NotKnown, Whole, Pieces };

    Kind kind_ = Kind::NotKnown;
    std::string begun_;  // a head that is not complete yet
    Pieces pieces_;
    bool headed_ = false, ended_ = false;
    std::string name_, directory_;
    uint64_t most_, room_ = 0, length_ = 0;
    int file_ = -1;
};

}  // namespace

Outcome<UnpackedCore> unpack_core(const std::string &path, uint64_t most) {
    const bool standard = path == "-";
    const Descriptor file(standard ? -1 : open_regular(path.c_str()));
    const int input = standard ? STDIN_FILENO : file.get();
    struct stat status = {};
    // The reader will report a file that cannot be opened.
    if (input < 0 || fstat(input, &status) != 0) return UnpackedCore{path, "", Descriptor()};
    if (standard && isatty(input))
        return Fault{FaultTag::CoreUnreadable, "no core file comes from standard input: it is a terminal",
                     "'coredumpctl dump | stap --core - SCRIPT', for example"};
    char head[16] = {};
    const ssize_t got = S_ISREG(status.st_mode) ? pread(input, head, sizeof head, 0) : 0;
    const std::string_view begun(head, static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (S_ISREG(status.st_mode) && !is_packed(begun) && !foreign_packer(begun))
        return UnpackedCore{standard ? "/proc/self/fd/0" : path, "", Descriptor()};
    return Unpacker(standard ? "the core from standard input" : path, most).run(input);
}

}  // namespace tapir::target
