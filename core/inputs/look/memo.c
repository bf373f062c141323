/* A hash table of looks, keyed by path. */
#include "inputs/look/look.h"

#include "machine/processor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

typedef struct known {
    inputs_look look;
    uint32_t hash;
    uint32_t length;
    bool follow;
    char path[];
} known;

struct spate_inputs_memo {
    pthread_mutex_t lock;
    known **slots;   /* open addressing; NULL until the first look */
    size_t capacity; /* a power of two */
    size_t count;
    bool processor_known;
    uint8_t processor[SPATE_SHA256_LENGTH];
};

spate_status spate_inputs_memo_new(spate_inputs_memo **memo) {
    *memo = calloc(1, sizeof(**memo));
    if (!*memo)
        return SPATE_NO_MEMORY;
    if (pthread_mutex_init(&(*memo)->lock, NULL) == 0)
        return SPATE_OK;
    free(*memo);
    *memo = NULL;
    return SPATE_NO_MEMORY;
}

void spate_inputs_memo_lock(spate_inputs_memo *memo) {
    pthread_mutex_lock(&memo->lock);
}

void spate_inputs_memo_unlock(spate_inputs_memo *memo) {
    pthread_mutex_unlock(&memo->lock);
}

static void forget(spate_inputs_memo *memo) {
    for (size_t i = 0; i < memo->capacity; i++)
        free(memo->slots[i]);
    free(memo->slots);
    memo->slots = NULL;
    memo->capacity = memo->count = 0;
    memo->processor_known = false;
}

void spate_inputs_memo_forget(spate_inputs_memo *memo) {
    spate_inputs_memo_lock(memo);
    forget(memo);
    spate_inputs_memo_unlock(memo);
}

void spate_inputs_memo_free(spate_inputs_memo *memo) {
    if (!memo)
        return;
    forget(memo);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

static uint32_t hash_of(const char *path, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)path[i]) * 1099511628211u;
    return (uint32_t)(hash ^ hash >> 32);
}

static known **slot_of(known **slots, size_t capacity, uint32_t hash, const char *path, size_t length, bool follow) {
    size_t at = hash & (capacity - 1);
    while (slots[at] && (slots[at]->hash != hash || slots[at]->length != length || slots[at]->follow != follow ||
                         memcmp(slots[at]->path, path, length) != 0))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool room(spate_inputs_memo *memo) {
    if ((memo->count + 1) * 2 <= memo->capacity)
        return true;
    size_t capacity = memo->capacity ? memo->capacity * 2 : FIRST_CAPACITY;
    known **slots = calloc(capacity, sizeof(known *));
    if (!slots)
        return false;
    for (size_t i = 0; i < memo->capacity; i++) {
        known *one = memo->slots[i];
        if (one)
            *slot_of(slots, capacity, one->hash, one->path, one->length, one->follow) = one;
    }
    free(memo->slots);
    memo->slots = slots;
    memo->capacity = capacity;
    return true;
}

inputs_look *spate_inputs_memo_look(spate_inputs_memo *memo, const char *path, size_t length, bool follow) {
    if (!room(memo))
        return NULL;
    uint32_t hash = hash_of(path, length);
    known **slot = slot_of(memo->slots, memo->capacity, hash, path, length, follow);
    if (*slot)
        return &(*slot)->look;
    known *made = malloc(sizeof(*made) + length + 1);
    if (!made)
        return NULL;
    made->hash = hash;
    made->length = (uint32_t)length;
    made->follow = follow;
    memcpy(made->path, path, length);
    made->path[length] = '\0';
    spate_inputs_look(made->path, follow, &made->look);
    *slot = made;
    memo->count++;
    return &made->look;
}

spate_status spate_inputs_memo_processor(spate_inputs_memo *memo, const char *path, uint8_t out[SPATE_SHA256_LENGTH]) {
    spate_status status = SPATE_OK;
    if (!memo->processor_known)
        status = spate_processor(path, memo->processor);
    memo->processor_known = status == SPATE_OK;
    memcpy(out, memo->processor, SPATE_SHA256_LENGTH);
    return status;
}
