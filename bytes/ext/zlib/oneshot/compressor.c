#include "oneshot/bytes.h"

#ifdef SPATE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>

/* For shorter input zlib compresses better in the same time; below about 55 bytes libdeflate only stores. */
#define SMALLEST 160
/* Maximum number of cached compressors. */
#define MOST_KEPT 8

typedef struct compressor {
    struct compressor *next;
    struct libdeflate_compressor *libdeflate;
    int level;
} compressor;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static compressor *kept;
static int count;

/*
 * libdeflate's level for each level of zlib: the fastest one whose output is at most 1% larger for most source code,
 * documentation, JSON and machine code. Size difference and speedup compared with zlib's level 6, by input length:
 *
 *            1,000 B                    8,000 B                    100,000 B                  1,000,000 B
 *   level 1  0.2 .. 4.5%   1.9 .. 3.2   3.8 .. 7.5%   2.9 .. 4.0   7 .. 15%     4.9 .. 6.5    6 .. 16%      5.5 .. 6.6
 *         4  -.9 .. 0.6%   1.5 .. 2.4   0.1 .. 2.1%   1.9 .. 3.0   1.6 .. 4.2%  2.7 .. 4.0    2.2 .. 5.1%   3.0 .. 4.1
 *         5  -1.5 .. 0%    1.4 .. 2.2   -3.3 .. 0.2%  1.5 .. 2.4   -3.4 .. 2.2% 2.1 .. 3.2    -3.3 .. 3.5%  2.3 .. 3.4
 *         6  -1.5 .. 0%    1.4 .. 2.2   -4.5 .. -.2%  1.3 .. 2.3   -5.5 .. 0.4% 1.5 .. 2.8    -5.7 .. 0.9%  1.6 .. 2.9
 *
 * For source code of one programming language, the sizes with the three tables below differ by 0.6%, 0.2% and 1.2%, at
 * 1.7, 1.8 and 2.4 times the speed.
 */
#define LITTLE ((size_t)2048)
#define MORE ((size_t)128 * 1024)
static const int little_level[] = {0, 1, 1, 1, 3, 4, 4, 6, 7, 8};
static const int middle_level[] = {0, 1, 1, 1, 4, 5, 5, 6, 7, 8};
static const int level[] = {0, 1, 1, 2, 4, 6, 6, 7, 7, 8};

static int level_for(int zlib_level, size_t length) {
    const int *levels = length < LITTLE ? little_level : length < MORE ? middle_level : level;
    return levels[zlib_level < 0 ? 6 : zlib_level];
}

static compressor *make(int wanted) {
    compressor *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    made->level = wanted;
    made->libdeflate = libdeflate_alloc_compressor(wanted);
    if (made->libdeflate == NULL) {
        free(made);
        return NULL;
    }
    return made;
}

static void drop(compressor *dropped) {
    libdeflate_free_compressor(dropped->libdeflate);
    free(dropped);
}

/* Only tries the lock. If the process was forked while another thread held it, the cache is not used. */
static compressor *take(int wanted) {
    if (pthread_mutex_trylock(&lock) != 0)
        return make(wanted);
    compressor *found = NULL;
    for (compressor **link = &kept; *link != NULL; link = &(*link)->next) {
        if ((*link)->level == wanted) {
            found = *link;
            *link = found->next;
            count--;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return found != NULL ? found : make(wanted);
}

static void give_back(compressor *used) {
    compressor *oldest = used;
    if (pthread_mutex_trylock(&lock) == 0) {
        used->next = kept;
        kept = used;
        oldest = NULL;
        if (++count > MOST_KEPT) {
            compressor **link = &kept;
            while ((*link)->next != NULL)
                link = &(*link)->next;
            oldest = *link;
            *link = NULL;
            count--;
        }
        pthread_mutex_unlock(&lock);
    }
    if (oldest != NULL)
        drop(oldest);
}

size_t spate_compress_bound(size_t length) {
    return libdeflate_zlib_compress_bound(NULL, length);
}

bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output) {
    output->length = 0;
    if (length < SMALLEST)
        return false;
    compressor *used = take(level_for(zlib_level, length));
    if (used == NULL)
        return false;
    if (spate_buffer_reserve(output, spate_compress_bound(length)) == SPATE_OK) {
        output->length =
            container == SPATE_RAW
                ? libdeflate_deflate_compress(used->libdeflate, input, length, output->bytes, output->capacity)
                : libdeflate_zlib_compress(used->libdeflate, input, length, output->bytes, output->capacity);
    }
    give_back(used);
    return output->length > 0;
}
#else
size_t spate_compress_bound(size_t length) {
    (void)length;
    return 0;
}

bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output) {
    (void)container, (void)zlib_level, (void)input, (void)length, (void)output;
    return false;
}
#endif
