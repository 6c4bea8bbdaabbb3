// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/held_threads.h"

#include <algorithm>
#include <cstring>

namespace tapir::core {

namespace {

constexpr uint64_t kMagic = 0x314c4c4954535054;  // "TPSTILL1"

struct Record {
    int64_t id;
    uint64_t known;
    char name[16];  // as long as the kernel lets them be
    uint64_t words[TAPIR_CORE_WORDS];
};

struct Head {
    uint64_t magic, record_bytes;
};

}  // namespace

std::string write_held_threads(const std::vector<Thread> &threads) {
    const Head head = {kMagic, sizeof(Record)};
    std::string content(reinterpret_cast<const char *>(&head), sizeof head);
    for (const Thread &thread : threads) {
        Record record = {thread.id, static_cast<uint64_t>(thread.known), {}, {}};
        std::memcpy(record.name, thread.name.data(), std::min(thread.name.size(), sizeof record.name - 1));
        std::copy(thread.words.begin(), thread.words.end(), record.words);
        content.append(reinterpret_cast<const char *>(&record), sizeof record);
    }
    return content;
}

std::optional<std::vector<Thread>> read_held_threads(std::string_view content) {
    Head head = {};
    if (content.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, content.data(), sizeof head);
    content.remove_prefix(sizeof head);
    if (head.magic != kMagic || head.record_bytes != sizeof(Record) || content.size() % sizeof(Record))
        return std::nullopt;
    std::vector<Thread> threads;
    for (; !content.empty(); content.remove_prefix(sizeof(Record))) {
        Record record;
        std::memcpy(&record, content.data(), sizeof record);
        if (record.known > static_cast<uint64_t>(Thread::Known::All)) return std::nullopt;
        Thread thread;
        thread.id = record.id;
        thread.known = static_cast<Thread::Known>(record.known);
        thread.name.assign(record.name, strnlen(record.name, sizeof record.name));
        std::copy(std::begin(record.words), std::end(record.words), thread.words.begin());
        threads.push_back(std::move(thread));
    }
    return threads;
}

}  // namespace tapir::core
