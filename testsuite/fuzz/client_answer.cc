// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a build server's answer, in pieces as they may come, and as a client's configuration: nothing but whole
// modules with plain names comes through.
#include <cstdlib>
#include <string>

#include "client/answer.h"
#include "client/settings.h"

using namespace tapir::client;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    AnswerReader whole(nullptr), pieces(nullptr);
    whole.take(input);
    for (size_t at = 0; at < size; at += 5)
        pieces.take(input.substr(at, 5));
    const Answer one = whole.finish(), other = pieces.finish();
    if (one.kind != other.kind || one.bytes != other.bytes || one.text != other.text) abort();
    if (one.kind == Answer::Kind::Module &&
        (one.bytes.empty() || one.name.empty() || one.name.find_first_of("/.") != std::string::npos))
        abort();
    Settings settings;
    static_cast<void>(add_settings(std::string(input), settings));
    if (!settings.url.empty() && !settings.url.starts_with("https://")) abort();
    return 0;
}
