// SPDX-License-Identifier: GPL-2.0-or-later
// Source text and positions in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tapir {

// The author of a file; decides which rules apply to it (guru constructs, private names, warnings).
enum class Origin : uint8_t { UserScript, CommandLine, Tapset, Synthetic };

class SourceFile;

enum class TokenKind : uint8_t {
    None,
    Identifier,
    Keyword,
    Operator,
    Number,
    String,
    EmbeddedCode,
    Junk,
    EndOfFile,
};

// The user's word for a token kind in diagnostics: "identifier", "keyword", "operator", ...
std::string_view token_kind_name(TokenKind kind);

// A token's place: what diagnostics point at. `expansion` is the macro use that produced the token, innermost first.
struct SourceRef {
    const SourceFile *file = nullptr;
    uint32_t line = 0;    // from 1
    uint32_t column = 0;  // from 1, in bytes
    TokenKind kind = TokenKind::None;
    std::string_view text;  // as written
    const SourceRef *expansion = nullptr;

    explicit operator bool() const { return file != nullptr; }
    // "file:line:column"
    std::string where() const;
    // "identifier 'x' at file:line:column", the form of run-time errors too.
    std::string describe() const;
};

// Bytes of a text that was made of another one. They end where the next run begins.
struct SourceRun {
    size_t at;    // of the first byte
    size_t from;  // of the byte of the other text that it comes from
    bool copied;  // the following bytes come from the following ones; else all come from this one
};

// One input text. Lives as long as the session; every SourceRef and token text points into it.
class SourceFile {
  public:
    SourceFile(std::string name, std::string text, Origin origin);
    // A text that was made of what the user wrote, by runs, of which the first begins at 0. It goes by the name, the
    // lines and the places of the other text.
    SourceFile(std::string text, std::shared_ptr<const SourceFile> written, std::vector<SourceRun> runs);
    SourceFile(const SourceFile &) = delete;
    SourceFile &operator=(const SourceFile &) = delete;

    // The name shown to the user: the path as given, or "<input>" for -e text and standard input.
    const std::string &name() const { return name_; }
    std::string_view text() const { return text_; }
    Origin origin() const { return origin_; }
    // Text of a line without its newline, as the user wrote it; `line` counts from 1; empty past the end.
    std::string_view line(uint32_t line) const;
    // Line and column, both from 1, of the byte at `offset`, which may be text().size(), in what the user wrote.
    void locate(size_t offset, uint32_t &line, uint32_t &column) const;
    // Stores token text that is not in the file itself (pasted script arguments, joined literals) or a macro use, for
    // as long as the file lives.
    std::string_view keep(std::string text) const;
    const SourceRef *keep(const SourceRef &ref) const;

  private:
    std::string name_;
    std::string text_;
    Origin origin_;
    std::vector<uint32_t> line_starts_;
    std::shared_ptr<const SourceFile> written_;  // may be null
    std::vector<SourceRun> runs_;
    mutable std::deque<std::string> kept_text_;
    mutable std::deque<SourceRef> kept_refs_;
};

}  // namespace tapir
