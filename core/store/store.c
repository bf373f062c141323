#define _GNU_SOURCE
#include "store/inner.h"

#include "base/file.h"
#include "base/times.h"
#include "digest/hex.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Returns random bytes, or else a time in nanoseconds, which differs from that of other processes with this store. */
static uint64_t make_salt(const spate_store *store) {
    uint64_t salt = 0;
    struct timespec time = {0, 0};
    if (getentropy(&salt, sizeof(salt)) == 0)
        return salt;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0)
        return (uint64_t)(uintptr_t)store;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

spate_status spate_store_open(spate_store **store, const char *root, spate_error *error) {
    char folder[PATH_MAX];
    *store = NULL;
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/')
        length--;
    if (length + 128 > sizeof(folder))
        return spate_fail(error, SPATE_REFUSED, root, "store's path of %zu bytes is too long", length);
    static const char *const folders[] = {"objects", "tmp"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        snprintf(folder, sizeof(folder), "%.*s/%s", (int)length, root, folders[i]);
        spate_status status = spate_make_directories(folder, 0755, error);
        if (status != SPATE_OK)
            return status;
    }
    spate_store *made = calloc(1, sizeof(*made));
    char *copy = strndup(root, length);
    if (!made || !copy) {
        free(made);
        free(copy);
        return spate_fail(error, SPATE_NO_MEMORY, root, "no memory for a store");
    }
    made->root = copy;
    made->root_length = length;
    made->salt = make_salt(made);
    *store = made;
    return SPATE_OK;
}

void spate_store_close(spate_store *store) {
    if (!store)
        return;
    free(store->root);
    free(store);
}

const char *spate_store_root(const spate_store *store) {
    return store->root;
}

void spate_store_own(spate_store *store, uid_t owner) {
    store->owned = true;
    store->owner = owner;
}

bool spate_store_shares(const char *path, uint32_t mode) {
    static const char *const machine_code[] = {".so", ".bundle", ".dylib", ".dll", ".node"};
    const char *end = path + strlen(path);
    const char *name = strrchr(path, '/');
    if (mode & 0111 || strstr(name ? name : path, ".so."))
        return false;
    for (size_t i = 0; i < sizeof(machine_code) / sizeof(*machine_code); i++) {
        size_t length = strlen(machine_code[i]);
        if ((size_t)(end - path) > length && memcmp(end - length, machine_code[i], length) == 0)
            return false;
    }
    return true;
}

static const char objects_folder[] = "/objects/";

void spate_store_object_path(const spate_store *store, const uint8_t sha256[SPATE_SHA256_BYTES], uint32_t mode,
                             char *out) {
    char *at = out;
    memcpy(at, store->root, store->root_length);
    at += store->root_length;
    memcpy(at, objects_folder, sizeof(objects_folder) - 1);
    at += sizeof(objects_folder) - 1;
    spate_hex(sha256, SPATE_SHA256_BYTES, at + 3);
    at[0] = at[3];
    at[1] = at[4];
    at[2] = '/';
    at += 3 + 2 * SPATE_SHA256_BYTES;
    *at++ = '-';
    if (mode & 0700)
        *at++ = (char)('0' + ((mode >> 6) & 7));
    if (mode & 0770)
        *at++ = (char)('0' + ((mode >> 3) & 7));
    *at++ = (char)('0' + (mode & 7));
    *at = '\0';
}

const char *spate_store_object_name(const spate_store *store, const char *object) {
    return object + store->root_length + sizeof(objects_folder) - 1;
}

int spate_store_objects(const spate_store *store) {
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", store->root, objects_folder);
    return open(path, SPATE_FOLDER_FLAGS);
}

spate_way *spate_store_way(spate_store *store) {
    return &store->way;
}

void spate_store_temporary_path(spate_store *store, char *out) {
    snprintf(out, PATH_MAX, "%s/tmp/object-%ld-%016llx%08x", store->root, (long)getpid(),
             (unsigned long long)store->salt, atomic_fetch_add(&store->counter, 1));
}

/*
 * In nanoseconds. WORKED_LEAST: work time for which a pause is worth a system call. WORKED_MOST: maximum work time that
 * is considered, so that a thread that was waiting does not pause for long.
 */
#define WORKED_LEAST INT64_C(1000000)
#define WORKED_MOST INT64_C(6000000)
#define REST_FACTOR 2
/*
 * A pause consists of steps of this many nanoseconds. It ends after IDLE_STEPS consecutive steps without a link job,
 * because there are gaps between link jobs.
 */
#define REST_STEP INT64_C(250000)
#define IDLE_STEPS 2

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return spate_nanoseconds(time);
}

void spate_way_take(spate_way *way) {
    atomic_fetch_add_explicit(&way->linking, 1, memory_order_relaxed);
}

void spate_way_leave(spate_way *way) {
    atomic_fetch_sub_explicit(&way->linking, 1, memory_order_relaxed);
}

void spate_way_give(spate_way *way) {
    static _Thread_local int64_t begun;
    if (atomic_load_explicit(&way->linking, memory_order_relaxed) == 0)
        return;
    int64_t worked = now() - begun;
    if (worked < WORKED_LEAST)
        return;
    if (worked > WORKED_MOST)
        worked = WORKED_MOST;
    struct timespec step = {0, (long)REST_STEP};
    int idle = 0;
    for (int64_t rest = worked * REST_FACTOR; rest > 0 && idle < IDLE_STEPS; rest -= REST_STEP) {
        nanosleep(&step, NULL);
        idle = atomic_load_explicit(&way->linking, memory_order_relaxed) ? 0 : idle + 1;
    }
    begun = now();
}
