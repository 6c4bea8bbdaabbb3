// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a capture, to a file or a pipe. Records may come in any order: names after the stacks that use them, for
 * instance. The file is valid at any moment; it is complete after finish().
 *
 *     capture::Writer writer(capture::to_descriptor(fd));
 *     writer.meta(meta);
 *     writer.object({1, "/usr/bin/true", "0123abcd", 0x1000});
 *     writer.stack(stack);
 *     writer.sample({stack.id, 0, 1, 1});
 *     writer.name(stack.frames[0], {{"main", "true.c", 5}});
 *     Outcome<void> written = writer.finish("finished");
 */
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/capture_format.h"
#include "capture/capture_records.h"
#include "common/outcome.h"

struct ZSTD_CCtx_s;

namespace tapir::capture {

// Takes all of the bytes. False with errno: it cannot, and is not called again.
using Write = std::function<bool(std::string_view bytes)>;

// Waits while the descriptor can take no more.
Write to_descriptor(int fd);

// Not for several threads at once. After a failed write all records are ignored; finish() tells.
class Writer {
  public:
    explicit Writer(Write write);
    ~Writer();
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;

    // `command`, `target` and `program` are cut at 4096 bytes.
    void meta(const Meta &meta);
    void object(const Object &object);
    void interpreter(const Interpreter &interpreter);
    // At most kFrames frames; what is beyond is left out, and the stack is marked as cut.
    void stack(const Stack &stack);
    // The functions at the frame's place, innermost first. Once for each kind, object, place and kFrameCalled.
    // `builtin`: the name by which programs of an interpreted language call it; "": they do not.
    void name(const Frame &frame, const std::vector<Function> &functions, std::string_view builtin = {});
    void sample(const Sample &sample);
    // The text may have any length.
    void text(uint64_t time, std::string_view bytes);
    // The head alone. Texts are cut at 4096 bytes; at most kCells columns.
    void table(const Table &head);
    // A row of this table, whose head is written again where other rows came in between. Cells are cut at 65,536
    // bytes.
    void row(const Table &head, const TableRow &row);
    void probe(const ProbeLedger &ledger);
    void loss(const LossCount &loss);
    void message(Severity severity, std::string_view text);

    // Hands over what has collected, so that a reader at the other end of a pipe gets it. False with errno.
    bool flush();
    // Seals the capture. `how` tells how the session ended: "finished", "interrupted", ... Else FileUnwritable.
    Outcome<void> finish(std::string_view how);
    // 0, or the errno of the write that failed.
    int error() const { return error_; }

  private:
    void number(uint64_t value);
    void signed_number(int64_t value);
    void string(std::string_view text);
    void plain_string(std::string_view text);
    void frame(const Frame &frame, uint64_t &last_address);
    void head(const Table &head);
    void record(RecordType type);
    void put(std::string_view bytes);

    Write write_;
    std::unique_ptr<ZSTD_CCtx_s, size_t (*)(ZSTD_CCtx_s *)> compressor_;
    std::unordered_map<std::string, uint32_t> strings_;
    std::string table_;   // the last head, as it was written
    std::string record_;  // the one being made
    std::string block_;
    std::string stored_;
    uint64_t records_ = 0;
    bool begun_ = false;
    int error_ = 0;
};

}  // namespace tapir::capture
