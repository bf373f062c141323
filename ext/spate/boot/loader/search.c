#include "search.h"

#include <stdlib.h>

static spate_loaded_compile_cache *compile_caches;
static size_t compile_cache_count;
static bool has_key;
static uint8_t gem_key[SPATE_COMPILE_CACHE_KEY_BYTES];

/* The facts that one search has found out about a file. Each fact is read at most once. */
typedef struct inquiry {
    spate_search *search;
    uint32_t path_hash;
    bool stat_done;
    bool there;
    bool content_done;
    bool content_known;
    uint8_t content[SPATE_SIPHASH_BYTES];
} inquiry;

static bool file_is_there(inquiry *inquiry) {
    if (!inquiry->stat_done) {
        inquiry->stat_done = true;
        inquiry->there = spate_source_stat(inquiry->search->lasting_path, &inquiry->search->source);
    }
    return inquiry->there;
}

static bool content_is(inquiry *inquiry, const uint8_t expected[SPATE_SIPHASH_BYTES]) {
    if (!inquiry->content_done) {
        inquiry->content_done = true;
        inquiry->content_known = spate_source_hash(inquiry->search->lasting_path, inquiry->content);
    }
    return inquiry->content_known && memcmp(inquiry->content, expected, SPATE_SIPHASH_BYTES) == 0;
}

/* Whether Ruby must compile the file itself, because compiling it prints warnings, or because it does not compile and
 * the cache has no code. */
static bool is_left_to_ruby(const spate_compile_cache_file *file) {
    if (file->flags == 0 && file->blob_length > 0)
        return false;
    VALUE verbose = ruby_verbose;
    return file->blob_length == 0 || ((file->flags & SPATE_COMPILE_CACHE_WARNS) && !NIL_P(verbose)) ||
           ((file->flags & SPATE_COMPILE_CACHE_WARNS_VERBOSE) && verbose == Qtrue);
}

static bool choose(spate_search *search, spate_candidate candidate, spate_outcome outcome) {
    search->chosen = spate_compile_cache_check_blob(candidate.from.compile_cache, candidate.index);
    search->choice = candidate;
    search->outcome = search->chosen ? outcome : SPATE_DAMAGED;
    if (!search->chosen) {
        search->why = "damaged";
        spate_record_problem(candidate.from.path, "damaged");
    }
    return search->chosen;
}

static size_t find_candidates(inquiry *inquiry, const spate_loaded_compile_cache *from, size_t count,
                              spate_candidate candidates[SPATE_CANDIDATES_MAX]) {
    spate_search *search = inquiry->search;
    size_t found = 0;
    size_t index;
    for (size_t i = 0; i < count && found < SPATE_CANDIDATES_MAX; i++)
        if (spate_compile_cache_find(from[i].compile_cache, inquiry->path_hash, search->path, search->length, &index))
            candidates[found++] = (spate_candidate){.from = from[i], .index = index};
    if (found > 0 && !search->lasting_path)
        search->lasting_path = spate_compile_cache_file_at(candidates[0].from.compile_cache, candidates[0].index).path;
    return found;
}

/* Returns true if the search is over. */
static bool search_among(inquiry *inquiry, const spate_loaded_compile_cache *from, size_t count) {
    spate_candidate candidates[SPATE_CANDIDATES_MAX];
    spate_candidate doubted[SPATE_CANDIDATES_MAX];
    spate_source_state doubt[SPATE_CANDIDATES_MAX];
    size_t doubts = 0;
    spate_search *search = inquiry->search;
    size_t found = find_candidates(inquiry, from, count, candidates);
    if (found == 0)
        return false;
    if (search->outcome == SPATE_MISS)
        search->outcome = SPATE_OUTDATED;
    if (!file_is_there(inquiry)) {
        search->why = "gone";
        return true;
    }
    for (size_t i = 0; i < found; i++) {
        spate_compile_cache_file file =
            spate_compile_cache_file_at(candidates[i].from.compile_cache, candidates[i].index);
        spate_source_state state = spate_source_compare(&search->source, &file);
        search->why = spate_source_state_name(state);
        if (spate_source_is_other(state))
            continue;
        if (is_left_to_ruby(&file)) {
            search->outcome = SPATE_WARNING_DUE;
            return true;
        }
        if (state == SPATE_SOURCE_SAME && choose(search, candidates[i], SPATE_HIT))
            return true;
        if (state != SPATE_SOURCE_SAME) {
            doubted[doubts] = candidates[i];
            doubt[doubts++] = state;
        }
    }
    for (size_t i = 0; i < doubts; i++) {
        spate_compile_cache_file file = spate_compile_cache_file_at(doubted[i].from.compile_cache, doubted[i].index);
        /* If the file system's times never prove anything, no other compile cache can do better. */
        spate_outcome outcome = doubt[i] == SPATE_SOURCE_UNKEPT ? SPATE_HIT : SPATE_REVALIDATED;
        search->why = spate_source_state_name(doubt[i]);
        if (!content_is(inquiry, file.hash))
            search->why = "content";
        else if (choose(search, doubted[i], outcome))
            return true;
    }
    return false;
}

void spate_search_compile_caches(spate_search *search) {
    spate_loaded_compile_cache gem_caches[SPATE_CANDIDATES_MAX];
    inquiry inquiry = {.search = search, .path_hash = spate_compile_cache_hash(search->path, search->length)};
    search->outcome = SPATE_MISS;
    if (search_among(&inquiry, compile_caches, compile_cache_count) || !has_key)
        return;
    size_t count = spate_gem_caches_of(search->path, search->length, gem_key, gem_caches, SPATE_CANDIDATES_MAX);
    search_among(&inquiry, gem_caches, count);
}

void spate_search_compile_cache(spate_search *search, spate_loaded_compile_cache compile_cache) {
    inquiry inquiry = {.search = search, .path_hash = spate_compile_cache_hash(search->path, search->length)};
    search->outcome = SPATE_MISS;
    search_among(&inquiry, &compile_cache, 1);
}

bool spate_search_add(spate_loaded_compile_cache compile_cache) {
    for (size_t i = 0; i < compile_cache_count; i++)
        if (compile_caches[i].compile_cache == compile_cache.compile_cache)
            return true;
    spate_loaded_compile_cache *grown = realloc(compile_caches, (compile_cache_count + 1) * sizeof(*grown));
    if (!grown)
        return false;
    compile_caches = grown;
    compile_caches[compile_cache_count++] = compile_cache;
    return true;
}

void spate_search_set_key(const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES]) {
    memcpy(gem_key, key, sizeof(gem_key));
    has_key = true;
}

void spate_search_clear(void) {
    compile_cache_count = 0;
    has_key = false;
}

void spate_search_rest(void) {
    for (size_t i = 0; i < compile_cache_count; i++)
        spate_compile_cache_rest(compile_caches[i].compile_cache);
}
