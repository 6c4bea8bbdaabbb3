// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/source.h"

#include <algorithm>

#include "common/quoting.h"

namespace tapir {

namespace {

// Editors of other systems begin a file with the character U+FEFF, which says nothing but that it is UTF-8.
std::string without_byte_order_mark(std::string text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (text.starts_with(kMark)) text.erase(0, kMark.size());
    return text;
}

}  // namespace

SourceFile::SourceFile(std::string name, std::string text, Origin origin)
    : name_(std::move(name)), text_(without_byte_order_mark(std::move(text))), origin_(origin) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < text_.size(); i++)
        if (text_[i] == '\n') line_starts_.push_back(static_cast<uint32_t>(i + 1));
}

SourceFile::SourceFile(std::string text, std::shared_ptr<const SourceFile> written, std::vector<SourceRun> runs)
    : name_(written->name()),
      text_(std::move(text)),
      origin_(written->origin()),
      written_(std::move(written)),
      runs_(std::move(runs)) {}

std::string_view SourceFile::line(uint32_t line) const {
    if (written_) return written_->line(line);
    if (line == 0 || line > line_starts_.size()) return {};
    size_t begin = line_starts_[line - 1];
    size_t end = line < line_starts_.size() ? line_starts_[line] - 1 : text_.size();
    if (end > begin && text_[end - 1] == '\r') end--;
    return std::string_view(text_).substr(begin, end - begin);
}

void SourceFile::locate(size_t offset, uint32_t &line, uint32_t &column) const {
    if (written_) {
        const auto next = std::upper_bound(runs_.begin(), runs_.end(), offset,
                                           [](size_t wanted, const SourceRun &run) { return wanted < run.at; });
        size_t from = 0;
        if (next != runs_.begin()) {
            const SourceRun &run = *(next - 1);
            from = run.from + (run.copied ? offset - run.at : 0);
        }
        written_->locate(std::min(from, written_->text().size()), line, column);
        return;
    }
    auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    line = static_cast<uint32_t>(next - line_starts_.begin());
    column = static_cast<uint32_t>(offset - *(next - 1) + 1);
}

std::string_view SourceFile::keep(std::string text) const {
    return kept_text_.emplace_back(std::move(text));
}

const SourceRef *SourceFile::keep(const SourceRef &ref) const {
    return &kept_refs_.emplace_back(ref);
}

std::string_view token_kind_name(TokenKind kind) {
    switch (kind) {
        case TokenKind::None:
            return "unknown";
        case TokenKind::Identifier:
            return "identifier";
        case TokenKind::Keyword:
            return "keyword";
        case TokenKind::Operator:
            return "operator";
        case TokenKind::Number:
            return "number";
        case TokenKind::String:
            return "string";
        case TokenKind::EmbeddedCode:
            return "embedded-code";
        case TokenKind::Junk:
            return "junk";
        case TokenKind::EndOfFile:
            return "end of file";
    }
    return "unknown";
}

std::string SourceRef::where() const {
    if (!file) return {};
    return file->name() + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string SourceRef::describe() const {
    if (!file) return {};
    std::string result(token_kind_name(kind));
    if (kind != TokenKind::EndOfFile) result += " '" + printable(first_line(text)) + "'";
    return result + " at " + where();
}

}  // namespace tapir
