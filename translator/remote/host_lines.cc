// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/host_lines.h"

#include <algorithm>

#include "common/quoting.h"

namespace tapir::remote {
namespace {

// Size of the sequence that only sets colors and the like (SGR) which `text` begins with; 0.
size_t color_size(std::string_view text) {
    if (!text.starts_with("\x1b[")) return 0;
    const size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string safe(std::string_view line, bool colored) {
    if (!colored) return printable(line);
    std::string text;
    for (size_t at = 0; at < line.size();) {
        size_t next = at;
        while (next < line.size() && !color_size(line.substr(next)))
            ++next;
        text += printable(line.substr(at, next - at));
        const size_t size = color_size(line.substr(next));
        text += line.substr(next, size);
        at = next + size;
    }
    return text;
}

}  // namespace

// Leaves out lines that are no objects: they would spoil the stream for its reader.
void Lines::add_record() {
    if (take_) {
        take_(spoilt_ ? std::string_view() : line_);
        line_.clear();
        spoilt_ = false;
        return;
    }
    const bool whole = !spoilt_ && line_.size() > 2 && line_.front() == '{' && line_.back() == '}';
    if (whole) lines_.append("{\"remote\":").append(prefix_).append(",").append(line_, 1).append("\n");
    line_.clear();
    spoilt_ = false;
}

void Lines::add_line(std::string_view end) {
    if (bytes_ == Bytes::Records) return add_record();
    if (!inside_) lines_ += prefix_;
    lines_.append(bytes_ == Bytes::Raw ? line_ : safe(line_, bytes_ == Bytes::Colored)).append(end);
    inside_ = end.empty();
    line_.clear();
}

// A message goes on in lines that begin with a space.
void Lines::give_messages() {
    for (std::string_view rest = lines_; !rest.empty();) {
        size_t size = 0;
        do
            size = std::min(rest.find('\n', size), rest.size() - 1) + 1;
        while (size < rest.size() && rest[size] == ' ');
        take_(rest.substr(0, size));
        rest.remove_prefix(size);
    }
}

void Lines::let_go() {
    if (take_)
        give_messages();
    else
        sink_->add(lines_);
    lines_.clear();
    deadline_ = Clock::time_point::max();
}

void Lines::add(std::string_view text, Clock::time_point now) {
    if (!together_ && prefix_.empty() && bytes_ == Bytes::Raw) return sink_->add(text);
    if (lines_.empty()) since_ = now;
    for (size_t newline; (newline = text.find('\n')) != std::string_view::npos; text.remove_prefix(newline + 1)) {
        line_ += text.substr(0, newline);
        add_line("\n");
    }
    line_ += text;
    const bool records = bytes_ == Bytes::Records, long_line = !records && line_.size() >= kLongest;
    if (long_line) add_line("");
    if (records && (spoilt_ || line_.size() >= (take_ ? kLongestTaken : kLongestRecord))) {
        spoilt_ = true;
        line_.clear();
    }
    if (lines_.empty()) return;
    deadline_ = std::min(now + kPause, since_ + kPatience);
    // Half a line goes with what is before it.
    if (!together_ || long_line || inside_ || lines_.size() >= kLargest) let_go();
}

void Lines::look(Clock::time_point now) {
    if (now >= deadline_) let_go();
}

void Lines::end() {
    // The rest of a record that was cut off.
    if (bytes_ == Bytes::Records) line_.clear();
    if (!line_.empty() || inside_) add_line("\n");
    let_go();
}

}  // namespace tapir::remote
