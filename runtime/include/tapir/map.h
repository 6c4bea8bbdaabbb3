/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Associative arrays. Memory is allocated ahead of need; no operation allocates, except at session level. Unless said otherwise the
 * caller holds the global's lock (or runs at session level). String keys are compared and stored up to the string capacity.
 */
#ifndef TAPIR_MAP_H
#define TAPIR_MAP_H

#include <tapir/abi.h>
#include <tapir/context.h>
#include <tapir/stat.h>

union tapir_val {
	s64 n;
	const char *s;
};

/* Readers: a missing element reads as 0 or "" and is not created. */
s64 tapir_map_get_long(struct tapir_map *m, const union tapir_val *keys);
void tapir_map_get_string(struct tapir_map *m, const union tapir_val *keys, char *dst);
/* The element itself, or "": good until the map changes or the lock is dropped. */
const char *tapir_map_peek_string(struct tapir_map *m, const union tapir_val *keys);
bool tapir_map_contains(struct tapir_map *m, const union tapir_val *keys);
/* False when the element does not exist; *out is then empty. */
bool tapir_map_get_stat(struct tapir_map *m, const union tapir_val *keys, struct tapir_stat_sum *out);
/* With the counts of one of its histograms, in `buckets`: as many as it has. */
bool tapir_map_get_hist(struct tapir_map *m, const union tapir_val *keys, const struct tapir_hist_desc *hist, u64 *buckets,
			struct tapir_stat_sum *out);

/* Writers create a missing element; a full map without wrap raises "Array overflow, check MAXMAPENTRIES" or, if the array has
 * its own size, "Array overflow, check size limit (N)" at `site`, and returns 0. So does one that is not full but without a free
 * element, with an error that says why. */
void tapir_map_set_long(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
			const struct tapir_site *site);
void tapir_map_set_string(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, const char *value,
			  const struct tapir_site *site);
/* Adds and returns the new value. */
s64 tapir_map_add_long(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 delta,
		       const struct tapir_site *site);
/* A pointer to the element's number (created as 0 if missing) for other compound assignments; NULL on overflow. Valid under the
 * lock. */
s64 *tapir_map_slot_long(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, const struct tapir_site *site);
/* `<<<` on an element. Needs no global lock: lookup is lock-free (under a per-CPU lock when the map is not `stable`), only creating
 * an element takes a lock of the map's own, inside all others. A map with `wrap` recycles an element when it is full: let the
 * handler hold the global's lock then; without it the recycling is only tried, and a failure skips the handler. */
void tapir_map_add_stat(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
			const struct tapir_site *site);
/* Likewise, as tapir_weight() samples. */
void tapir_map_add_stat_weighted(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
				 const struct tapir_site *site);

void tapir_map_delete(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys);
/* `mask` bit i set: key i must equal keys[i]; clear: "*". */
/*
 * These and the loops below cost units by the elements that they go through. They raise an error at `site` if that is more than the
 * handler has left: contains_slice returns false then, delete_slice may have deleted some, a loop that begins has no elements.
 */
bool tapir_map_contains_slice(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, u32 mask,
			      const struct tapir_site *site);
void tapir_map_delete_slice(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, u32 mask,
			    const struct tapir_site *site);
void tapir_map_clear(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site);

/*
 * The locked forms: one operation of a handler that touches this global nowhere else takes the lock only for itself. They raise
 * nothing on contention at a nested level but set c->failed with a skip, as tapir_locks_take does.
 */
s64 tapir_map_get_long_locked(struct tapir_ctx *c, const struct tapir_global *g, const union tapir_val *keys);
void tapir_map_set_long_locked(struct tapir_ctx *c, const struct tapir_global *g, const union tapir_val *keys, s64 value,
			       const struct tapir_site *site);
s64 tapir_map_add_long_locked(struct tapir_ctx *c, const struct tapir_global *g, const union tapir_val *keys, s64 delta,
			      const struct tapir_site *site);

/*
 * Adds without the global's lock: lookup is lock-free, the addition atomic; only creating an element takes the map's own insertion
 * lock. Only for an array of numbers without wrap that handlers outside session level touch in no other way. Returns the new value;
 * 0 with an error raised on overflow, or with a skip when nested over an insertion.
 */
s64 tapir_map_add_long_atomic(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 delta,
			      const struct tapir_site *site);

/*
 * As tapir_map_add_stat() and tapir_map_add_long_atomic(), without a context, for arrays that are `stable` and `known`. `text`, the
 * only key, is a string that stays where and as it is for as long as the module, of fewer bytes than the string capacity. The
 * element of such a text is looked up once and then remembered. False: nothing was done, for the element is not there yet.
 * Arguments are in the order in which attempts (see struct tapir_probe) have them.
 */
bool tapir_map_attempt_stat(const char *text, u32 cpu, struct tapir_map *m, s64 value);
bool tapir_map_attempt_long(const char *text, struct tapir_map *m, s64 delta);

/* ---- foreach ---- */

enum tapir_sort { TAPIR_SORT_NONE, TAPIR_SORT_ASCENDING, TAPIR_SORT_DESCENDING };
enum tapir_sort_stat { TAPIR_SORT_COUNT, TAPIR_SORT_SUM, TAPIR_SORT_MIN, TAPIR_SORT_MAX, TAPIR_SORT_AVG };

struct tapir_foreach {
	u8 sort;   /* enum tapir_sort */
	u8 column; /* 0 = value, 1.. = key */
	u8 stat;   /* enum tapir_sort_stat, for statistics when column is 0 */
	u8 has_limit;
	u32 slice_mask; /* as tapir_map_contains_slice */
};

struct tapir_iter {
	struct tapir_map *map;
	void *node;
	void *next;
	s64 left; /* elements still to give */
	u32 slice_mask;
	u32 passed; /* elements not of the slice */
	u32 slots;  /* of a statistic */
	struct tapir_ctx *c;
	const struct tapir_site *site;
	union tapir_val slice[TAPIR_MAX_KEYS];
};

/*
 * Sorting reorders the map's own list (a stable sort); it stays so for later loops. With a limit of 1 to 30 on a larger array
 * only the elements the loop will see are brought to the front. `slice` may be NULL.
 */
void tapir_foreach_begin(struct tapir_ctx *c, struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec,
			 s64 limit, const union tapir_val *slice, const struct tapir_site *site);
/* Returns false at the end, or, in a loop with a slice, after an error was raised. */
bool tapir_foreach_next(struct tapir_iter *it);

/*
 * Snapshots let a handler go through arrays after it has dropped their locks. Each array has room for one. A handler that does not
 * get all its snapshots goes through the arrays themselves, under the locks. Only reports take snapshots of statistics, or cut
 * arrays.
 */
struct tapir_snapshot {
	u16 global;
	u8 sort;   /* of the loop to come: with a small limit only the first elements in this order are copied */
	u8 column; /* as in tapir_foreach */
	u32 limit; /* the loop's, if it goes over all elements and this is known; else 0 */
	u8 cut;	   /* the array is deleted before the locks are dropped: its elements need not be copied */
};
struct tapir_snapshots {
	u32 count;
	struct tapir_snapshot of[];
};
/*
 * Copies, under the locks; the loops then run tapir_foreach_begin_snapshot(). False: not to be had, or at session level not needed;
 * or an error was raised. Deleting an array that was cut does nothing while the handler has the snapshot.
 */
bool tapir_snapshots_take(struct tapir_ctx *c, const struct tapir_snapshots *set, const struct tapir_site *site);
/* Does the deferred part, before the first loop. The locks are dropped. May fail. */
void tapir_snapshots_complete(struct tapir_ctx *c, const struct tapir_snapshots *set, const struct tapir_site *site);
/* The locks are dropped. */
void tapir_snapshots_drop(const struct tapir_snapshots *set);
/* As tapir_foreach_begin(), over the snapshot this handler has; keys and values are valid until it is dropped. */
void tapir_foreach_begin_snapshot(struct tapir_ctx *c, struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec,
				  s64 limit, const union tapir_val *slice, const struct tapir_site *site);
s64 tapir_foreach_key_long(const struct tapir_iter *it, u32 key);
const char *tapir_foreach_key_string(const struct tapir_iter *it, u32 key); /* valid until the lock is dropped */
s64 tapir_foreach_value_long(const struct tapir_iter *it);
const char *tapir_foreach_value_string(const struct tapir_iter *it);
void tapir_foreach_value_stat(const struct tapir_iter *it, struct tapir_stat_sum *out);
/* With the counts of one of its histograms, in `buckets`. */
void tapir_foreach_value_hist(const struct tapir_iter *it, const struct tapir_hist_desc *hist, u64 *buckets,
			      struct tapir_stat_sum *out);

/* ---- life, called by the module at start and after the last handler (may sleep) ---- */

/* NULL: no memory. `max_entries` already resolved. */
struct tapir_map *tapir_map_create(const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap);
/* Returns the bytes that tapir_map_create() allocates; the array may grow later. U64_MAX if the size overflows. */
u64 tapir_map_bytes(const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap);
void tapir_map_destroy(struct tapir_map *m);
struct tapir_stat_slot *tapir_stat_create(const struct tapir_stat_desc *desc, u32 ncpus);
/* Returns the bytes that tapir_stat_create() allocates. */
u64 tapir_stat_bytes(const struct tapir_stat_desc *desc, u32 ncpus);
void tapir_stat_destroy(struct tapir_stat_slot *slots);

#endif
