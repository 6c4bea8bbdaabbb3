// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes as text that something else reads: script literals, the shell, a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tapir {

// The inside of a script string literal (no quotes) that reads back as `bytes`. Bytes outside printable ASCII become
// octal escapes of three digits, which no following digit can extend.
std::string escape(std::string_view bytes);

// `escape` with the quotes.
std::string quote(std::string_view bytes);

// Quotes any text as one word of sh. `newline` stands for each newline, within the quotes.
std::string shell_quoted(std::string_view word, std::string_view newline = "\n");

// Quotes any text as a value in a configuration file of curl (curl(1), -K), with the newline behind it.
std::string curl_quoted(std::string_view value);

// Decodes the inside of a script string literal: the C escapes \a \b \t \n \v \f \r \\ \ooo \xhh; any other backslash
// pair stands for its second character. A number above 255 keeps its low 8 bits.
std::string unescape(std::string_view literal);

// Returns the length in bytes of the character at the start of `bytes`, if a terminal may get it. 0 for control
// characters other than tab, marks that reorder text, and invalid UTF-8. `bytes` must not be empty.
size_t printable_length(std::string_view bytes);

// Text as it may be written to a terminal: control bytes other than tab and bytes that are not UTF-8 become \xhh.
std::string printable(std::string_view bytes);

// Number of terminal columns of printable(bytes), a tab counting as one.
size_t printable_width(std::string_view bytes);

// Without the bytes of `blanks` at both ends.
std::string_view trim(std::string_view text, std::string_view blanks = " \t\n\v\f\r");

// The text up to the first newline, with "..." where something was cut; for showing a token of many lines.
std::string first_line(std::string_view text);

}  // namespace tapir
