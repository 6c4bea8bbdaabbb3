// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes from a client of the language server: messages are the same however the bytes are parted, a good message
// behind them is found, and the memory for one is bounded. Each message that is JSON changes a document, whose
// positions agree with its text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "lsp/channel.h"
#include "lsp/document.h"

using namespace tapir::lsp;
using nlohmann::json;

namespace {

std::vector<std::string> messages_of(std::string_view bytes, size_t piece) {
    Framing framing;
    std::vector<std::string> messages;
    std::string text;
    for (size_t at = 0; at < bytes.size(); at += piece) {
        framing.add(bytes.substr(at, piece));
        while (framing.take(text)) {
            if (text.size() > kMaxMessage) abort();
            messages.push_back(text);
        }
    }
    return messages;
}

// Positions that are told point at the byte that they were told for, unless that is within a character or a line's end.
void check_positions(const Document &document) {
    const std::string &text = document.text();
    for (const Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32})
        for (size_t at = 0; at <= text.size(); at++) {
            const bool inside = at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
            const json position = document.position(at, encoding);
            const size_t back = document.offset(position, encoding);
            if (back > text.size()) abort();
            if (!inside && back != at && text[back] != '\r') abort();
        }
}

void change(const json &message) {
    constexpr size_t kLongest = 4096;
    for (const Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
        const std::string before = "probe begin { }\n\xf0\x9f\x90\xa7 \xc3\xa4\n";
        Document document("file:///fuzz.stp", before, 1);
        if (!document.change(message, 2, encoding) && document.text() != before) abort();
        if (document.text().size() < kLongest) check_positions(document);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const std::vector<std::string> whole = messages_of(bytes, std::max<size_t>(size, 1));
    for (const size_t piece : {size_t{1}, size_t{7}})
        if (messages_of(bytes, piece) != whole) abort();
    for (const std::string &text : whole) {
        const json message = json::parse(text, nullptr, false);
        if (message.is_discarded()) continue;
        // A message that is sent is one message, even where the text had bytes that are no UTF-8.
        Framing framing;
        framing.add(framed(message));
        std::string again;
        if (!framing.take(again) || json::parse(again, nullptr, false).is_discarded() || framing.take(again)) abort();
        change(message);
    }
    path_of(std::string(bytes));
    if (path_of(uri_of(std::string(bytes))) != std::string(bytes) && size > 0 && data[0] == '/') abort();
    return 0;
}
