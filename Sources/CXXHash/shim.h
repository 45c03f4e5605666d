#ifndef CXXHASH_SHIM_H
#define CXXHASH_SHIM_H

// Header only: the functions are inlined, nothing is linked. Inlining renames them by macros, which Swift does
// not see; so each has a plain name here.
#define XXH_INLINE_ALL
#include <xxhash.h>

// The state travels as an address: its alignment of 64 bytes is more than Swift imports.
static inline void *xxh3_create(void) { return XXH3_createState(); }
static inline void xxh3_free(void *state) { XXH3_freeState((XXH3_state_t *)state); }
static inline void xxh3_reset(void *state) { XXH3_64bits_reset((XXH3_state_t *)state); }
static inline void xxh3_update(void *state, const void *bytes, size_t count) {
  XXH3_64bits_update((XXH3_state_t *)state, bytes, count);
}
static inline uint64_t xxh3_digest(const void *state) { return XXH3_64bits_digest((const XXH3_state_t *)state); }
static inline uint64_t xxh3_hash(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }

#endif
