// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/record_parser.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "common/plain_text.h"

namespace tapir::capture {

uint8_t Parser::byte() {
    if (rest_.empty()) {
        failed_ = true;
        return 0;
    }
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
}

uint64_t Parser::number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t next = byte();
        value |= static_cast<uint64_t>(next & 127) << shift;
        if (!(next & 128)) return value;
    }
    failed_ = true;
    return 0;
}

int64_t Parser::signed_number() {
    const uint64_t value = number();
    return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1)));
}

uint32_t Parser::number32() {
    const uint64_t value = number();
    if (value > UINT32_MAX) failed_ = true;
    return static_cast<uint32_t>(value);
}

std::string_view Parser::bytes(uint64_t count) {
    if (count > rest_.size()) {
        failed_ = true;
        return {};
    }
    const std::string_view part = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(part.size());
    return part;
}

std::string Parser::string() {
    const uint64_t which = number();
    if (which >= 2) {
        if (which - 2 >= strings_.size()) {
            failed_ = true;
            return {};
        }
        const std::string &known = strings_[static_cast<size_t>(which - 2)];
        memory_ += known.size();
        return known;
    }
    std::string text(bytes(number()));
    memory_ += text.size();
    if (which == 1 && !failed_) {
        if (strings_.size() >= kInternedStrings || text.size() > kInternedBytes) {
            failed_ = true;
            return {};
        }
        strings_.push_back(text);
    }
    return text;
}

size_t Parser::count(size_t limit, const char *things) {
    const uint64_t value = number();
    if (value > rest_.size()) failed_ = true;
    if (!failed_ && value > limit) {
        failed_ = true;
        problem_ =
            format("it has %llu %s, more than the limit of %zu", static_cast<unsigned long long>(value), things, limit);
    }
    return failed_ ? 0 : static_cast<size_t>(value);
}

Frame Parser::frame(uint64_t &last_address) {
    Frame frame;
    memory_ += sizeof frame;
    const uint64_t head = number();
    frame.kind = static_cast<FrameKind>(head & 3);
    frame.flags = static_cast<uint8_t>(head >> 2);
    switch (frame.kind) {
        case FrameKind::File:
        case FrameKind::Memory:
            frame.object = number32();
            frame.place = number();
            break;
        case FrameKind::Kernel:
            frame.place = last_address + static_cast<uint64_t>(signed_number());
            last_address = frame.place;
            break;
        case FrameKind::Text:
            frame.text = string();
            break;
    }
    return frame;
}

void Parser::meta() {
    Meta &meta = capture_.meta;
    for (std::string *text : {&meta.script, &meta.arguments, &meta.version, &meta.kernel, &meta.host, &meta.machine,
                              &meta.title, &meta.unit, &meta.clock}) {
        std::string value = string();
        if (!value.empty()) *text = std::move(value);
    }
    for (uint64_t *number_at : {&meta.started, &meta.duration, &meta.hz, &meta.cpus}) {
        const uint64_t value = number();
        if (value) *number_at = value;
    }
    // Older captures have no more.
    if (rest_.empty()) return;
    for (std::string *text : {&meta.command, &meta.target, &meta.program})
        if (std::string value = string(); !value.empty()) *text = std::move(value);
    if (const uint64_t pid = number()) meta.pid = pid;
    if (const int64_t zone = signed_number()) meta.zone = zone;
}

void Parser::object() {
    Object object;
    object.id = number32();
    object.path = string();
    object.build_id = string();
    object.bias = number();
    // Older captures have no more.
    if (!rest_.empty()) object.started = string();
    if (!rest_.empty()) object.interpreter = number32();
    if (!failed_) capture_.objects[object.id] = std::move(object);
}

void Parser::interpreter() {
    Interpreter interpreter;
    interpreter.number = number32();
    interpreter.name = string();
    interpreter.loop = string();
    if (!failed_ && capture_.interpreters.size() < kMostInterpreters)
        capture_.interpreters[interpreter.number] = std::move(interpreter);
}

namespace {

End end_of(uint64_t value) {
    return value < static_cast<uint64_t>(End::Count) ? static_cast<End>(value) : End::Count;
}

}  // namespace

void Parser::stack() {
    Stack stack;
    stack.id = number();
    stack.kernel = end_of(number());
    stack.user = end_of(number());
    uint64_t last_address = 0;
    // Frames beyond the limit are read, too: later records refer to their strings.
    for (size_t left = count(SIZE_MAX, "frames"); left && !failed_; left--) {
        const uint64_t memory = memory_;
        Frame next = frame(last_address);
        if (stack.frames.size() < kFrames) {
            stack.frames.push_back(std::move(next));
        } else {
            memory_ = memory;
            stack.user = End::Cut;
        }
    }
    if (failed_) return;
    // The module never gives two stacks the same number.
    if (capture_.stack_by_id.emplace(stack.id, capture_.stacks.size()).second)
        capture_.stacks.push_back(std::move(stack));
}

void Parser::name() {
    uint64_t last_address = 0;
    const Frame at = frame(last_address);
    std::vector<Function> functions;
    for (size_t left = count(kFunctions, "functions of one frame"); left && !failed_; left--) {
        Function function;
        memory_ += sizeof function;
        function.name = string();
        function.file = string();
        function.line = number32();
        function.start = number();
        functions.push_back(std::move(function));
    }
    std::string builtin;
    if (!rest_.empty()) builtin = string();
    if (failed_) return;
    if (!functions.empty()) capture_.names.insert_or_assign(key_of(at), std::move(functions));
    if (builtin.empty()) return;
    memory_ += sizeof(FrameKey) + sizeof builtin;
    capture_.builtins.insert_or_assign(key_of(at), std::move(builtin));
}

void Parser::sample() {
    Sample sample;
    sample.stack = number();
    sample.waker = number();
    sample.count = number();
    sample.sum = signed_number();
    sample.time = number();
    for (size_t left = count(kLabels, "labels of one sample"); left && !failed_; left--) {
        Label label;
        memory_ += sizeof label;
        label.key = string();
        label.text = string();
        if (label.text.empty()) label.number = signed_number();
        sample.labels.push_back(std::move(label));
    }
    if (!failed_) capture_.samples.push_back(std::move(sample));
}

void Parser::probe() {
    ProbeLedger ledger;
    ledger.probe = string();
    ledger.hits = number();
    for (size_t left = count(kReasons, "reasons for skipping one probe"); left && !failed_; left--) {
        ProbeLedger::Skipped skipped;
        skipped.reason = string();
        skipped.count = number();
        ledger.skipped.push_back(std::move(skipped));
    }
    if (!failed_) capture_.probes.push_back(std::move(ledger));
}

void Parser::loss() {
    const uint64_t what = number();
    const uint64_t lost = number();
    if (!failed_ && what < static_cast<uint64_t>(Loss::Count))
        if (__builtin_add_overflow(capture_.losses[what], lost, &capture_.losses[what]))
            capture_.losses[what] = UINT64_MAX;
}

void Parser::message() {
    Message message;
    message.severity = number() ? Severity::Error : Severity::Warning;
    message.text = string();
    if (!failed_) capture_.messages.push_back(std::move(message));
}

std::vector<std::string> Parser::cells() {
    std::vector<std::string> cells;
    for (size_t left = count(kCells, "cells in one row"); left && !failed_; left--)
        cells.push_back(string());
    memory_ += cells.size() * sizeof(std::string);
    return cells;
}

namespace {

// Units "name" and "text" are those of texts, and no others are.
void settle_unit(Column &column) {
    const bool named = column.unit == "name" || column.unit == "text";
    if (named != column.is_text) column.unit = column.is_text ? "text" : "";
}

bool is_number(const std::string &text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

// The head comes again where rows of other tables came in between.
void Parser::table() {
    Table table;
    table.name = string();
    for (std::string &name : cells()) {
        table.columns.push_back({std::move(name), "", "", true});
        memory_ += sizeof(Column);
    }
    const bool typed = !rest_.empty();  // Older captures have no more.
    for (Column &column : table.columns) {
        if (typed) {
            column.unit = string();
            column.subject = string();
            column.is_text = number() != 0;
        }
        settle_unit(column);
    }
    if (failed_) return;
    std::string key = table.name + '\0';
    for (const Column &column : table.columns)
        key += column.name + '\0' + column.unit + '\0' + column.subject + '\0';
    memory_ += key.size();
    const auto [found, is_new] = tables_.try_emplace(std::move(key), capture_.tables.size());
    table_ = found->second;
    if (is_new) capture_.tables.push_back(std::move(table));
}

void Parser::row() {
    TableRow row;
    row.cells = cells();
    row.number = rows_++;
    // Older captures have no more.
    row.begins_block = rest_.empty();
    if (!rest_.empty()) {
        row.time = number();
        row.cpu = static_cast<int32_t>(number32() - 1);
        const uint64_t flags = number();
        row.begins_block = flags & kRowBeginsBlock;
        row.after_other = flags & kRowAfterOther;
    }
    if (failed_ || table_ >= capture_.tables.size()) return;
    Table &table = capture_.tables[table_];
    failed_ = row.cells.size() != table.columns.size();
    for (size_t i = 0; i < row.cells.size() && !failed_; i++)
        failed_ = !table.columns[i].is_text && !is_number(row.cells[i]);
    memory_ += sizeof row;
    if (!failed_) table.rows.push_back(std::move(row));
}

void Parser::end() {
    const uint64_t records = number();
    std::string how = string();
    if (records != records_) failed_ = true;
    if (failed_) return;
    capture_.how = how.empty() ? "finished" : std::move(how);
    ended_ = true;
}

void Parser::record(RecordType type) {
    switch (type) {
        case RecordType::Meta:
            return meta();
        case RecordType::Object:
            return object();
        case RecordType::Interpreter:
            return interpreter();
        case RecordType::Stack:
            return stack();
        case RecordType::Name:
            return name();
        case RecordType::Sample:
            return sample();
        case RecordType::Text: {
            Text text;
            text.time = number();
            text.bytes = bytes(number());
            memory_ += text.bytes.size();
            if (!failed_) capture_.texts.push_back(std::move(text));
            return;
        }
        case RecordType::Table:
            return table();
        case RecordType::Row:
            return row();
        case RecordType::Probe:
            return probe();
        case RecordType::Loss:
            return loss();
        case RecordType::Message:
            return message();
        case RecordType::End:
            return end();
    }
    // A newer writer knows more types. They do not intern strings.
    capture_.unknown++;
}

bool Parser::block(std::string_view block) {
    while (!block.empty()) {
        if (ended_) return false;
        rest_ = block;
        // The largest thing that a record without content becomes, with what a map needs for it.
        memory_ += sizeof(Sample) + 64;
        const auto type = static_cast<RecordType>(byte());
        const std::string_view content = bytes(number());
        if (failed_) return false;
        block = rest_;
        rest_ = content;
        record(type);
        if (failed_) return false;
        records_++;
    }
    return true;
}

void Parser::finish() {
    const auto known = [this](uint64_t id) {
        if (capture_.stack_by_id.contains(id)) return id;
        Stack stack;
        stack.id = id == kNoStack ? kNoStack : kMissingStack;
        if (id != kNoStack) stack.user = End::Missing;
        if (capture_.stack_by_id.try_emplace(stack.id, capture_.stacks.size()).second) capture_.stacks.push_back(stack);
        return stack.id;
    };
    for (Sample &sample : capture_.samples) {
        sample.stack = known(sample.stack);
        if (sample.waker) sample.waker = known(sample.waker);
    }
}

}  // namespace tapir::capture
