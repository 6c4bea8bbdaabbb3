// SPDX-License-Identifier: GPL-2.0-or-later
// The answer of a build server. It is checked before it is used: sizes, hashes, and names, which become names
// of files here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tapir::client {

struct Answer {
    enum class Kind : uint8_t {
        None,     // nothing that ends an exchange has come
        Module,   // compiled
        Text,     // what pass 1, 2 or 3 prints
        Refused,  // `tag`, `text`
        Garbled   // `text`: what cannot be understood
    };
    Kind kind = Kind::None;

    std::string tag, text;  // of a refusal: for programs, for people
    std::string messages;   // the translator's, for standard error
    std::string output;     // of Text
    bool cached = false;

    // Only for Module:
    std::string name;       // without .ko
    std::string release;    // of the kernel it is for
    std::string bytes;      // as many and with the hash that the server says
    std::string signature;  // the content of NAME.ko.sig; "" = not signed
};

// Reads answers line by line: a line of JSON for each piece of news, or one that is the whole answer.
class AnswerReader {
  public:
    // `note` gets each line of progress.
    explicit AnswerReader(std::function<void(const std::string &)> note) : note_(std::move(note)) {}

    // Takes some bytes as they come.
    void take(std::string_view bytes);
    // No more bytes: what has come of an answer is final.
    Answer finish();

  private:
    void take_line(std::string_view line);
    void garbled(const std::string &text);

    std::function<void(const std::string &)> note_;
    std::string pending_;
    Answer answer_;
};

}  // namespace tapir::client
