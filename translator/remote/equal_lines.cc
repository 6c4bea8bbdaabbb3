// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/equal_lines.h"

#include <algorithm>

namespace tapir::remote {

void EqualLines::add(size_t host, std::string_view message, Clock::time_point now) {
    auto found = by_text_.find(message);
    if (found == by_text_.end()) {
        if (messages_.size() >= kRoom) {
            let_go(messages_.front());
            by_text_.erase(messages_.front().text);
            messages_.pop_front();
        }
        messages_.push_back({std::string(message), {}});
        found = by_text_.emplace(messages_.back().text, std::prev(messages_.end())).first;
    }
    Message &known = *found->second;
    if (known.told.empty()) {
        known.told.resize(hosts_.size());
        known.due = now + known.patience;
    }
    ++known.times;
    known.hosts += !known.told[host];
    known.told[host] = true;
}

EqualLines::Clock::time_point EqualLines::deadline() const {
    Clock::time_point first = Clock::time_point::max();
    for (const Message &message : messages_)
        first = std::min(first, message.due);
    return first;
}

void EqualLines::let_go(Message &message) {
    if (message.told.empty()) return;
    const auto first = std::find(message.told.begin(), message.told.end(), true) - message.told.begin();
    std::string who =
        message.hosts == 1 ? hosts_[static_cast<size_t>(first)] : std::to_string(message.hosts) + " hosts";
    if (message.times > message.hosts) who += ", " + std::to_string(message.times) + " times";
    std::string_view rest = message.text;
    while (!rest.empty()) {
        const size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
        sink_->add(who + ": " + std::string(rest.substr(0, size)));
        rest.remove_prefix(size);
    }
    if (!message.text.ends_with('\n')) sink_->add("\n");
    message.told.clear();
    message.hosts = message.times = 0;
    message.patience = std::min(message.patience * 2, kMost);
    message.due = Clock::time_point::max();
}

void EqualLines::look(Clock::time_point now) {
    for (Message &message : messages_)
        if (now >= message.due) let_go(message);
}

void EqualLines::end() {
    for (Message &message : messages_)
        let_go(message);
}

void EqualLines::drop() {
    by_text_.clear();
    messages_.clear();
}

}  // namespace tapir::remote
