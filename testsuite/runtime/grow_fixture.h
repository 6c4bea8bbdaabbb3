// SPDX-License-Identifier: GPL-2.0-or-later
// The fixture of the tests of growing arrays.
#pragma once

#include <algorithm>
#include <string>

#include "map_fixture.h"

extern "C" {
#include <tapir/map_layout.h>

#include "map_internal.h"
#include "map_shape.h"
}

namespace tapir::test {

class Grow : public Map {
  protected:
    enum { kLongs, kStrings, kPairs, kStats, kStable, kSmall, kAll };

    void SetUp() override {
        Map::SetUp();
        module_ = tapir_test_module;
        descs_[kLongs] = map_descriptor({TAPIR_LONG}, TAPIR_LONG);
        descs_[kLongs].reported = 1;
        descs_[kStrings] = map_descriptor({TAPIR_STRING}, TAPIR_LONG);
        descs_[kPairs] = map_descriptor({TAPIR_STRING, TAPIR_LONG, TAPIR_STRING}, TAPIR_LONG);
        descs_[kPairs].reported = 1;
        descs_[kStats] = map_descriptor({TAPIR_LONG}, TAPIR_STAT);
        descs_[kStable] = map_descriptor({TAPIR_LONG}, TAPIR_STAT, 0, false, true);
        descs_[kSmall] = map_descriptor({TAPIR_LONG}, TAPIR_LONG, 100000);
        for (int i = 0; i < kAll; i++)
            globals_[i] = {kNames[i], TAPIR_GLOBAL_MAP, 0, &descs_[i], &stat_, &maps_[i], &locks_[i], nullptr, 0};
        tapir_test_module.globals = globals_;
        tapir_test_module.nglobals = kAll;
    }
    void TearDown() override {
        tapir_globals_destroy();
        tapir_test_module = module_;
        Map::TearDown();
    }
    // The host lets arrays grow at the end of handlers, unless `idle`.
    void start(bool idle = false, u64 memory = 0, u32 max = 1000000) {
        tapir_host.idle = idle;
        tapir_host.memory = memory;
        enter(0, TAPIR_LEVEL_SESSION);
        ASSERT_TRUE(tapir_globals_create(c_, max)) << c_->message;
        enter();
    }
    std::string error() {
        std::string message = c_->failed ? c_->message : "";
        c_->failed = 0;
        return message;
    }
    // The length of the longest chain in the hash.
    static u32 longest_chain(const tapir_map *m) {
        u32 longest = 0;
        for (u32 i = 0; i < tapir_table_size(m->table); i++) {
            u32 length = 0;
            for (const tapir_node *node = m->table->buckets[i]; node; node = node->chain)
                length++;
            longest = std::max(longest, length);
        }
        return longest;
    }

    static constexpr const char *kNames[kAll] = {"longs", "strings", "pairs", "stats", "stable", "small"};
    struct tapir_module module_ = {};
    tapir_map_desc descs_[kAll] = {};
    tapir_stat_desc stat_ = stat_descriptor();
    tapir_lock locks_[kAll] = {};
    tapir_map *maps_[kAll] = {};
    tapir_global globals_[kAll] = {};
};

}  // namespace tapir::test
