/* Makes valid and malicious archives of every kind in memory. */
#ifndef SPATE_TEST_ARCHIVE_H
#define SPATE_TEST_ARCHIVE_H

#include "test/scratch.h"

#include "digest/digest.h"
#include "digest/hex.h"

#include <zlib.h>

typedef struct bytes {
    uint8_t *at;
    size_t length;
} bytes;

static inline void append(bytes *to, const void *from, size_t length) {
    to->at = realloc(to->at, to->length + length + 1);
    if (!to->at)
        abort();
    if (length > 0)
        memcpy(to->at + to->length, from, length);
    to->length += length;
}

static inline void clear(bytes *b) {
    free(b->at);
    *b = (bytes){0};
}

/* Adds one member. The types are '0' for a file, '1' for a hard link, '2' for a symlink, '3' for a device, '5' for a
 * folder, and so on. */
static inline void add_member(bytes *tar, const char *name, char type, unsigned mode, const char *link,
                              const void *content, size_t length) {
    char header[512] = {0};
    static const char zeros[512];
    unsigned sum = 0;
    snprintf(header, 100, "%s", name);
    snprintf(header + 100, 8, "%07o", mode);
    snprintf(header + 108, 8, "%07o", 0U);
    snprintf(header + 116, 8, "%07o", 0U);
    snprintf(header + 124, 12, "%011zo", length);
    snprintf(header + 136, 12, "%011o", 0U);
    memset(header + 148, ' ', 8);
    header[156] = type;
    snprintf(header + 157, 100, "%s", link ? link : "");
    memcpy(header + 257, "ustar\00000", 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    append(tar, header, sizeof(header));
    append(tar, content, length);
    append(tar, zeros, (512 - length % 512) % 512);
}

static inline void add_file(bytes *tar, const char *name, const char *text) {
    add_member(tar, name, '0', 0644, NULL, text, strlen(text));
}

static inline void end_tar(bytes *tar) {
    static const char zeros[1024];
    append(tar, zeros, sizeof(zeros));
}

static inline bytes gzipped(const void *from, size_t length) {
    bytes out = {0};
    z_stream stream = {0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    out.at = malloc(deflateBound(&stream, length) + 64);
    stream.next_in = (Bytef *)(uintptr_t)from;
    stream.avail_in = (uInt)length;
    stream.next_out = out.at;
    stream.avail_out = (uInt)(deflateBound(&stream, length) + 64);
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    out.length = stream.total_out;
    deflateEnd(&stream);
    return out;
}

static inline void save(const char *path, const bytes *content) {
    CHECK_OK(spate_write_file(path, content->length ? content->at : (const void *)"", content->length, NULL));
}

/* Ends the inner tar and saves a .gem that contains it. The .gem has checksums of the named kind, or none if the name
 * is NULL. */
static inline const char *save_gem(bytes *tar, const char *algorithm, spate_digest_kind kind) {
    bytes gem = {0};
    bytes sums = {0};
    const char *path = fresh("archive");
    static const char yaml[] = "--- !ruby/object:Gem::Specification\nname: test\n";
    end_tar(tar);
    bytes data = gzipped(tar->at, tar->length);
    bytes metadata = gzipped(yaml, sizeof(yaml) - 1);
    add_member(&gem, "metadata.gz", '0', 0444, NULL, metadata.at, metadata.length);
    add_member(&gem, "data.tar.gz", '0', 0444, NULL, data.at, data.length);
    if (algorithm) {
        char line[256];
        uint8_t digest[SPATE_DIGEST_MAX];
        char hex[2 * SPATE_DIGEST_MAX + 1];
        append(&sums, line, (size_t)snprintf(line, sizeof(line), "---\n%s:\n", algorithm));
        CHECK_OK(spate_digest_once(kind, metadata.at, metadata.length, digest));
        spate_hex(digest, spate_digest_bytes(kind), hex);
        append(&sums, line, (size_t)snprintf(line, sizeof(line), "  metadata.gz: %s\n", hex));
        CHECK_OK(spate_digest_once(kind, data.at, data.length, digest));
        spate_hex(digest, spate_digest_bytes(kind), hex);
        append(&sums, line, (size_t)snprintf(line, sizeof(line), "  data.tar.gz: %s\n", hex));
        bytes packed = gzipped(sums.at, sums.length);
        add_member(&gem, "checksums.yaml.gz", '0', 0444, NULL, packed.at, packed.length);
        clear(&packed);
    }
    end_tar(&gem);
    save(path, &gem);
    clear(&gem);
    clear(&sums);
    clear(&data);
    clear(&metadata);
    clear(tar);
    return path;
}

#endif
