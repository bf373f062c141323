#include "compressor.h"

#ifdef SPATE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>

/* libdeflate only stores what is shorter than some 55 bytes, which zlib makes smaller. */
#define SMALLEST 64
/* Compressors that wait for their next use. */
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
 * libdeflate's level for each of zlib's: the quickest that is at most 1% larger, on a tar file of sources and on machine
 * code, in pieces of 1 KB, 100 KB and whole. (Sources alone: up to 1.3%.)
 */
#define LITTLE ((size_t)1536)
#define MORE ((size_t)1024 * 1024)
static const int little_level[] = {0, 1, 1, 1, 3, 4, 4, 6, 7, 8};
static const int middle_level[] = {0, 1, 1, 1, 4, 5, 5, 6, 7, 8};
static const int level[] = {0, 1, 1, 2, 4, 6, 6, 7, 7, 8};

static int level_for(int zlib_level, size_t length) {
    const int *levels = length < LITTLE ? little_level : length < MORE ? middle_level : level;
    return levels[zlib_level < 0 ? 6 : zlib_level];
}

static compressor *make(int wanted) {
    compressor *made = malloc(sizeof *made);
    if (made == NULL) {
        return NULL;
    }
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

/* The lock is only tried: a process that was forked while another thread held it gets on without what is kept. */
static compressor *take(int wanted) {
    if (pthread_mutex_trylock(&lock) != 0) {
        return make(wanted);
    }
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
            while ((*link)->next != NULL) {
                link = &(*link)->next;
            }
            oldest = *link;
            *link = NULL;
            count--;
        }
        pthread_mutex_unlock(&lock);
    }
    if (oldest != NULL) {
        drop(oldest);
    }
}

size_t spate_compress_bound(size_t length) {
    return libdeflate_zlib_compress_bound(NULL, length);
}

bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output) {
    output->length = 0;
    if (length < SMALLEST) {
        return false;
    }
    compressor *used = take(level_for(zlib_level, length));
    if (used == NULL) {
        return false;
    }
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
