#include "search.h"

#include <stdlib.h>

static spate_loaded_image *images;
static size_t image_count;
static bool has_key;
static uint8_t gem_key[SPATE_IMAGE_KEY_BYTES];

/* The facts that one search reads about the file, once. */
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

/* Ruby would warn while compiling this file; or it is known not to compile, and has no code. */
static bool is_left_to_ruby(const spate_image_file *file) {
    if (file->flags == 0 && file->blob_length > 0)
        return false;
    VALUE verbose = ruby_verbose;
    return file->blob_length == 0 || ((file->flags & SPATE_IMAGE_WARNS) && !NIL_P(verbose)) ||
           ((file->flags & SPATE_IMAGE_WARNS_VERBOSE) && verbose == Qtrue);
}

static bool choose(spate_search *search, spate_candidate candidate, spate_outcome outcome) {
    search->chosen = spate_image_check_blob(candidate.from.image, candidate.index);
    search->choice = candidate;
    search->outcome = search->chosen ? outcome : SPATE_DAMAGED;
    if (!search->chosen) {
        search->why = "damaged";
        spate_record_problem(candidate.from.path, "damaged");
    }
    return search->chosen;
}

static size_t find_candidates(inquiry *inquiry, const spate_loaded_image *from, size_t count,
                              spate_candidate candidates[SPATE_CANDIDATES_MAX]) {
    spate_search *search = inquiry->search;
    size_t found = 0;
    size_t index;
    for (size_t i = 0; i < count && found < SPATE_CANDIDATES_MAX; i++)
        if (spate_image_find(from[i].image, inquiry->path_hash, search->path, search->length, &index))
            candidates[found++] = (spate_candidate){.from = from[i], .index = index};
    if (found > 0 && !search->lasting_path)
        search->lasting_path = spate_image_file_at(candidates[0].from.image, candidates[0].index).path;
    return found;
}

/* true: the search is over. */
static bool search_among(inquiry *inquiry, const spate_loaded_image *from, size_t count) {
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
        spate_image_file file = spate_image_file_at(candidates[i].from.image, candidates[i].index);
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
        spate_image_file file = spate_image_file_at(doubted[i].from.image, doubted[i].index);
        /* If times never prove anything, no other image would be better. */
        spate_outcome outcome = doubt[i] == SPATE_SOURCE_UNKEPT ? SPATE_HIT : SPATE_REVALIDATED;
        search->why = spate_source_state_name(doubt[i]);
        if (!content_is(inquiry, file.hash))
            search->why = "content";
        else if (choose(search, doubted[i], outcome))
            return true;
    }
    return false;
}

void spate_search_images(spate_search *search) {
    spate_loaded_image gem_images[SPATE_CANDIDATES_MAX];
    inquiry inquiry = {.search = search, .path_hash = spate_image_hash(search->path, search->length)};
    search->outcome = SPATE_MISS;
    if (search_among(&inquiry, images, image_count) || !has_key)
        return;
    size_t count = spate_gem_images_of(search->path, search->length, gem_key, gem_images, SPATE_CANDIDATES_MAX);
    search_among(&inquiry, gem_images, count);
}

void spate_search_image(spate_search *search, spate_loaded_image image) {
    inquiry inquiry = {.search = search, .path_hash = spate_image_hash(search->path, search->length)};
    search->outcome = SPATE_MISS;
    search_among(&inquiry, &image, 1);
}

bool spate_search_add(spate_loaded_image image) {
    for (size_t i = 0; i < image_count; i++)
        if (images[i].image == image.image)
            return true;
    spate_loaded_image *grown = realloc(images, (image_count + 1) * sizeof(*grown));
    if (!grown)
        return false;
    images = grown;
    images[image_count++] = image;
    return true;
}

void spate_search_set_key(const uint8_t key[SPATE_IMAGE_KEY_BYTES]) {
    memcpy(gem_key, key, sizeof(gem_key));
    has_key = true;
}

void spate_search_clear(void) {
    image_count = 0;
    has_key = false;
}

void spate_search_rest(void) {
    for (size_t i = 0; i < image_count; i++)
        spate_image_rest(images[i].image);
}
