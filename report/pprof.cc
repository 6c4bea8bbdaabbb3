// SPDX-License-Identifier: GPL-2.0-or-later
// profile.proto of pprof, version 3 of protocol buffers: https://github.com/google/pprof/blob/main/proto/profile.proto
#include <zlib.h>

#include <map>
#include <stdexcept>

#include "common/protobuf_writer.h"
#include "report/origin.h"
#include "report/picture.h"

namespace tapir::report {

namespace {

using Message = ProtobufMessage;

class Strings {
  public:
    Strings() { number(""); }
    uint64_t number(const std::string &text) {
        const auto [at, fresh] = numbers_.try_emplace(text, numbers_.size());
        if (fresh) order_.push_back(&at->first);
        return at->second;
    }
    void add_to(Message &profile) const {
        for (const std::string *text : order_)
            profile.bytes(6, *text);
    }

  private:
    std::map<std::string, uint64_t> numbers_;
    std::vector<const std::string *> order_;
};

std::string gzip(const std::string &bytes) {
    z_stream stream = {};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    std::string out;
    char buffer[65536];
    // zlib counts input in 32 bits.
    size_t at = 0;
    int result = Z_OK;
    while (result != Z_STREAM_END) {
        if (!stream.avail_in && at < bytes.size()) {
            const size_t part = std::min<size_t>(bytes.size() - at, 1u << 30);
            stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + at));
            stream.avail_in = static_cast<uInt>(part);
            at += part;
        }
        stream.next_out = reinterpret_cast<Bytef *>(buffer);
        stream.avail_out = sizeof buffer;
        result = deflate(&stream, at == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
        out.append(buffer, sizeof buffer - stream.avail_out);
    }
    deflateEnd(&stream);
    return out;
}

class Writer {
  public:
    explicit Writer(const Picture &picture) : picture_(picture) {}
    std::string write();

  private:
    Message value_type(const std::string &type, const std::string &unit) {
        Message out;
        out.number(1, strings_.number(type));
        out.number(2, strings_.number(unit));
        return out;
    }
    Message sample(const Row &row);
    Message label(const std::string &key, const std::string &text, int64_t value) {
        Message out;
        out.number(1, strings_.number(key));
        if (!text.empty()) out.number(2, strings_.number(text));
        out.number(3, static_cast<uint64_t>(value));
        return out;
    }
    uint64_t mapping_of(const std::string &object);
    void add_frames();

    const Picture &picture_;
    const bool sums_ = picture_.profile.unit != "samples";
    Strings strings_;
    std::map<std::string, uint64_t> mappings_;
    Message out_;
};

Message Writer::sample(const Row &row) {
    Message out, locations, values;
    for (size_t i = row.frames.size(); i-- > 0;)
        locations.varint(uint64_t{row.frames[i]} + 1);
    values.varint(row.count);
    if (sums_) values.varint(static_cast<uint64_t>(row.value));
    out.bytes(1, locations.text());
    out.bytes(2, values.text());
    const Thread &thread = picture_.profile.threads[row.thread];
    if (row.label) out.message(3, label("label", picture_.profile.labels[row.label], 0));
    if (thread.pid) out.message(3, label("pid", "", thread.pid));
    if (thread.tid) out.message(3, label("tid", "", thread.tid));
    if (!thread.comm.empty()) out.message(3, label("comm", thread.comm, 0));
    return out;
}

uint64_t Writer::mapping_of(const std::string &object) {
    const auto [at, fresh] = mappings_.try_emplace(object, mappings_.size() + 1);
    if (!fresh) return at->second;
    Message entry;
    entry.number(1, at->second);
    entry.number(5, strings_.number(object));
    // Readers need not look names up.
    for (unsigned has = 7; has <= 10; has++)
        entry.number(has, 1);
    out_.message(3, entry);
    return at->second;
}

// A location, a function and perhaps a mapping for each frame.
void Writer::add_frames() {
    // The first mapping is what pprof says a profile is of: the program that was looked at.
    const std::string program = clean(picture_.profile.meta.program);
    for (uint32_t i = 0; i < picture_.frames.size(); i++)
        if (!program.empty() && picture_.frames[i].object == program) {
            mapping_of(program);
            break;
        }
    for (uint32_t i = 0; i < picture_.frames.size(); i++) {
        const FrameText &frame = picture_.frames[i];
        const uint64_t mapping = frame.object.empty() ? 0 : mapping_of(frame.object);
        Message line, location, function;
        line.number(1, uint64_t{i} + 1);
        line.number(2, frame.line);
        location.number(1, uint64_t{i} + 1);
        location.number(2, mapping);
        location.message(4, line);
        out_.message(4, location);
        function.number(1, uint64_t{i} + 1);
        function.number(2, strings_.number(frame.name));
        // Without a system's name pprof takes the name as it is, and does not shorten it.
        function.number(4, strings_.number(frame.file));
        out_.message(5, function);
    }
}

std::string Writer::write() {
    const Profile &profile = picture_.profile;
    out_.message(1, value_type("samples", "count"));
    if (sums_) out_.message(1, value_type(profile.title, profile.unit));
    for (const Row &row : profile.rows)
        out_.message(2, sample(row));
    add_frames();
    out_.number(9, profile.meta.started);
    out_.number(10, profile.meta.duration);
    std::vector<std::string> comments = quality_lines(profile);
    const std::vector<std::string> origin = origin_lines(picture_);
    comments.insert(comments.begin(), origin.begin(), origin.end());
    comments.insert(comments.begin(), profile.title + ", made by stap-report");
    for (const std::string &comment : comments)
        out_.number(13, strings_.number(comment));
    if (sums_) out_.number(14, strings_.number(profile.title));
    strings_.add_to(out_);
    return gzip(out_.text());
}

}  // namespace

std::string render_pprof(const Picture &picture) {
    return Writer(picture).write();
}

}  // namespace tapir::report
