// SPDX-License-Identifier: GPL-2.0-or-later
// The fixture of the tests of arrays.
#pragma once

#include <vector>

#include "fixture.h"

namespace tapir::test {

inline const tapir_site kSite = {"identifier 'a' at t.stp:1:1"};

// An array of any shape, with its lock.
class Array {
  public:
    explicit Array(const tapir_map_desc &desc, u32 max = 8, const tapir_stat_desc &stat = stat_descriptor())
        : desc_(desc), stat_(stat) {
        global_ = {"a", TAPIR_GLOBAL_MAP, 0, &desc_, &stat_, &map_, &lock_, nullptr, 0};
        map_ = tapir_map_create(&global_, desc.max_entries ? desc.max_entries : max, tapir_host.ncpus, Buffer::cap);
    }
    ~Array() { tapir_map_destroy(map_); }
    Array(const Array &) = delete;
    operator tapir_map *() { return map_; }
    const tapir_global *global() { return &global_; }

  private:
    tapir_map_desc desc_;
    tapir_stat_desc stat_;
    tapir_lock lock_ = {};
    tapir_global global_ = {};
    tapir_map *map_ = nullptr;
};

class Map : public Runtime {
  protected:
    // The keys of a one-long-key array in list order.
    std::vector<s64> order(tapir_map *m, tapir_foreach spec = {}, s64 limit = 0, const tapir_val *slice = nullptr) {
        std::vector<s64> keys;
        tapir_iter it;
        tapir_foreach_begin(c_, &it, m, &spec, limit, slice, nullptr);
        while (tapir_foreach_next(&it))
            keys.push_back(tapir_foreach_key_long(&it, 0));
        return keys;
    }
    void set(tapir_map *m, s64 key, s64 value) {
        tapir_val k = val(key);
        tapir_map_set_long(c_, m, &k, value, &kSite);
    }
    s64 get(tapir_map *m, s64 key) {
        tapir_val k = val(key);
        return tapir_map_get_long(m, &k);
    }
    bool has(tapir_map *m, s64 key) {
        tapir_val k = val(key);
        return tapir_map_contains(m, &k);
    }
    void remove(tapir_map *m, s64 key) {
        tapir_val k = val(key);
        tapir_map_delete(c_, m, &k);
    }
};

inline tapir_foreach loop(u8 sort, u8 column = 0, u8 stat = TAPIR_SORT_COUNT, u8 has_limit = 0, u32 slice_mask = 0) {
    return {sort, column, stat, has_limit, slice_mask};
}

using Keys = std::vector<s64>;

}  // namespace tapir::test
