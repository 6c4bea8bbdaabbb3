// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/capture_writer.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/files.h"

namespace tapir::capture {

namespace {

constexpr size_t kCellBytes = 4096;
constexpr size_t kColumns = 64;
constexpr size_t kNameBytes = 65536;
// Large enough that compression pays, small enough that a pipe's reader is not kept waiting.
constexpr size_t kBlockFill = 256u << 10;

void add_fixed(std::string &out, uint32_t value) {
    for (unsigned byte = 0; byte < 4; byte++)
        out += static_cast<char>(value >> 8 * byte);
}

void add_number(std::string &out, uint64_t value) {
    for (; value >= 128; value >>= 7)
        out += static_cast<char>(value | 128);
    out += static_cast<char>(value);
}

}  // namespace

Write to_descriptor(int fd) {
    return [fd](std::string_view bytes) { return write_all(fd, bytes); };
}

Writer::Writer(Write write) : write_(std::move(write)), compressor_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!compressor_) {
        error_ = ENOMEM;
        return;
    }
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1);
}

Writer::~Writer() = default;

void Writer::number(uint64_t value) {
    add_number(record_, value);
}

// Zigzag, so that small negative ones are short, too.
void Writer::signed_number(int64_t value) {
    number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

// 0: the text follows. 1: the same, and it gets the next number. N: that with number N - 2.
void Writer::string(std::string_view text) {
    text = text.substr(0, kNameBytes);
    bool told = false;
    if (text.size() <= kInternedBytes) {
        std::string key(text);
        const auto known = strings_.find(key);
        if (known != strings_.end()) return number(uint64_t{known->second} + 2);
        if (strings_.size() < kInternedStrings) {
            const auto next = static_cast<uint32_t>(strings_.size());
            strings_.emplace(std::move(key), next);
            told = true;
        }
    }
    number(told ? 1 : 0);
    number(text.size());
    record_ += text;
}

// For fields that older readers skip: they would not know its number.
void Writer::plain_string(std::string_view text) {
    number(0);
    number(text.size());
    record_ += text;
}

void Writer::frame(const Frame &frame, uint64_t &last_address) {
    number(static_cast<uint64_t>(frame.kind) | static_cast<uint64_t>(frame.flags) << 2);
    switch (frame.kind) {
        case FrameKind::File:
        case FrameKind::Memory:
            number(frame.object);
            number(frame.place);
            break;
        case FrameKind::Kernel:
            signed_number(static_cast<int64_t>(frame.place - last_address));
            last_address = frame.place;
            break;
        case FrameKind::Text:
            string(std::string_view(frame.text).substr(0, kInternedBytes));
            break;
    }
}

void Writer::meta(const Meta &meta) {
    for (const std::string *text : {&meta.script, &meta.arguments, &meta.version, &meta.kernel, &meta.host,
                                    &meta.machine, &meta.title, &meta.unit, &meta.clock})
        string(*text);
    for (const uint64_t value : {meta.started, meta.duration, meta.hz, meta.cpus})
        number(value);
    for (const std::string *text : {&meta.command, &meta.target, &meta.program})
        plain_string(std::string_view(*text).substr(0, kCellBytes));
    number(meta.pid);
    signed_number(meta.zone);
    record(RecordType::Meta);
}

void Writer::object(const Object &object) {
    number(object.id);
    string(object.path);
    string(object.build_id);
    number(object.bias);
    string(object.started);
    number(object.interpreter);
    record(RecordType::Object);
}

void Writer::interpreter(const Interpreter &interpreter) {
    number(interpreter.number);
    string(interpreter.name);
    string(interpreter.loop);
    record(RecordType::Interpreter);
}

void Writer::stack(const Stack &stack) {
    const size_t frames = std::min(stack.frames.size(), kFrames);
    const bool whole = frames == stack.frames.size();
    number(stack.id);
    number(static_cast<uint64_t>(stack.kernel));
    number(static_cast<uint64_t>(whole || stack.user == End::None ? stack.user : End::Limit));
    number(frames);
    uint64_t last_address = 0;
    for (size_t i = 0; i < frames; i++)
        frame(stack.frames[i], last_address);
    record(RecordType::Stack);
}

void Writer::name(const Frame &at, const std::vector<Function> &functions, std::string_view builtin) {
    uint64_t last_address = 0;
    frame(at, last_address);
    const size_t count = std::min<size_t>(functions.size(), 64);
    number(count);
    for (size_t i = 0; i < count; i++) {
        const Function &function = functions[i];
        string(std::string_view(function.name).substr(0, kCellBytes));
        string(std::string_view(function.file).substr(0, kCellBytes));
        number(function.line);
        number(function.start);
    }
    if (!builtin.empty()) string(builtin.substr(0, kCellBytes));
    record(RecordType::Name);
}

void Writer::sample(const Sample &sample) {
    number(sample.stack);
    number(sample.waker);
    number(sample.count);
    signed_number(sample.sum);
    number(sample.time);
    const size_t labels = std::min(sample.labels.size(), kLabels);
    number(labels);
    for (size_t i = 0; i < labels; i++) {
        const Label &label = sample.labels[i];
        string(std::string_view(label.key).substr(0, kInternedBytes));
        string(std::string_view(label.text).substr(0, kCellBytes));
        if (label.text.empty()) signed_number(label.number);
    }
    record(RecordType::Sample);
}

void Writer::text(uint64_t time, std::string_view bytes) {
    do {
        const std::string_view part = bytes.substr(0, kNameBytes);
        number(time);
        number(part.size());
        record_ += part;
        record(RecordType::Text);
        bytes.remove_prefix(part.size());
    } while (!bytes.empty());
}

// Without strings that get numbers: those of many rows would use the numbers up.
void Writer::head(const Table &head) {
    const size_t columns = std::min(head.columns.size(), kCells);
    const auto text = [this](const std::string &whole) { plain_string(std::string_view(whole).substr(0, kCellBytes)); };
    text(head.name);
    number(columns);
    for (size_t i = 0; i < columns; i++)
        text(head.columns[i].name);
    for (size_t i = 0; i < columns; i++) {
        text(head.columns[i].unit);
        text(head.columns[i].subject);
        number(head.columns[i].is_text);
    }
}

void Writer::table(const Table &table) {
    head(table);
    table_ = record_;
    record(RecordType::Table);
}

void Writer::row(const Table &table, const TableRow &row) {
    head(table);
    if (record_ != table_) {
        table_ = record_;
        record(RecordType::Table);
    }
    record_.clear();
    const size_t cells = std::min(row.cells.size(), kCells);
    number(cells);
    for (size_t i = 0; i < cells; i++)
        plain_string(std::string_view(row.cells[i]).substr(0, kNameBytes));
    number(row.time);
    number(static_cast<uint64_t>(int64_t{row.cpu} + 1));
    number((row.begins_block ? kRowBeginsBlock : 0) | (row.after_other ? kRowAfterOther : 0));
    record(RecordType::Row);
}

void Writer::probe(const ProbeLedger &ledger) {
    string(std::string_view(ledger.probe).substr(0, kCellBytes));
    number(ledger.hits);
    const size_t reasons = std::min(ledger.skipped.size(), kColumns);
    number(reasons);
    for (size_t i = 0; i < reasons; i++) {
        string(std::string_view(ledger.skipped[i].reason).substr(0, kCellBytes));
        number(ledger.skipped[i].count);
    }
    record(RecordType::Probe);
}

void Writer::loss(const LossCount &loss) {
    number(static_cast<uint64_t>(loss.what));
    number(loss.count);
    record(RecordType::Loss);
}

void Writer::message(Severity severity, std::string_view text) {
    number(static_cast<uint64_t>(severity));
    string(text);
    record(RecordType::Message);
}

// Writes `record_` as a record of this type.
void Writer::record(RecordType type) {
    if (!error_) {
        if (block_.size() + record_.size() + 16 > kBlockBytes) flush();
        block_ += static_cast<char>(type);
        add_number(block_, record_.size());
        block_ += record_;
        records_++;
        if (block_.size() >= kBlockFill) flush();
    }
    record_.clear();
}

void Writer::put(std::string_view bytes) {
    errno = 0;
    if (!error_ && !write_(bytes)) error_ = errno ? errno : EIO;
}

bool Writer::flush() {
    if (!error_ && !begun_) {
        std::string head(kMagic, sizeof kMagic);
        add_fixed(head, kVersion);
        put(head);
        begun_ = true;
    }
    if (!error_ && !block_.empty()) {
        stored_.resize(ZSTD_compressBound(block_.size()));
        const size_t bytes =
            ZSTD_compress2(compressor_.get(), stored_.data(), stored_.size(), block_.data(), block_.size());
        if (ZSTD_isError(bytes)) {
            error_ = ENOMEM;
        } else {
            std::string head;
            add_fixed(head, static_cast<uint32_t>(bytes));
            add_fixed(head, static_cast<uint32_t>(block_.size()));
            head.append(stored_, 0, bytes);
            put(head);
        }
        block_.clear();
    }
    errno = error_;
    return !error_;
}

Outcome<void> Writer::finish(std::string_view how) {
    number(records_);
    string(how.substr(0, kInternedBytes));
    record(RecordType::End);
    if (!flush())
        return Fault{FaultTag::FileUnwritable, std::string("the capture cannot be written: ") + strerror(error_)};
    return {};
}

}  // namespace tapir::capture
