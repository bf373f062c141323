/*
 * extract THREADS DESTINATION ARCHIVE...
 *
 * Unpacks gems (and .tgz files) in parallel under DESTINATION. It only reads, inflates, calls mkdir, and opens, writes
 * and closes each file with its mode. It computes no hashes, uses no store and checks nothing, so the archives must be
 * valid. Prints wall seconds, CPU seconds, files and folders.
 */
#define _GNU_SOURCE
#include "crew.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#define BLOCK 512

struct file {
    char *path;
    const uint8_t *bytes;
    size_t length;
    mode_t mode;
};

struct archive {
    const char *path;
    char *folder;
    struct file *files;
    size_t count;
    size_t folders;
};

static struct archive *archives;
static struct file **all_files;

static size_t octal(const uint8_t *text, size_t length) {
    size_t value = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] >= '0' && text[i] <= '7')
            value = value * 8 + (size_t)(text[i] - '0');
    return value;
}

static uint8_t *read_whole(const char *path, size_t *length) {
    struct stat info;
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
        fail(path);
    uint8_t *bytes = malloc((size_t)info.st_size + 1);
    if (!bytes || read(descriptor, bytes, (size_t)info.st_size) != info.st_size)
        fail(path);
    close(descriptor);
    *length = (size_t)info.st_size;
    return bytes;
}

static uint8_t *inflate_whole(const uint8_t *bytes, size_t length, size_t *out_length) {
    uint32_t claimed;
    memcpy(&claimed, bytes + length - 4, 4); /* assumes a little-endian machine */
    uint8_t *out = malloc((size_t)claimed + 1);
#ifdef HAVE_LIBDEFLATE
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!out || libdeflate_gzip_decompress(inflater, bytes, length, out, claimed, out_length) != 0)
        fail("inflate");
    libdeflate_free_decompressor(inflater);
#else
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)length, .next_out = out, .avail_out = claimed + 1};
    if (!out || inflateInit2(&stream, 31) != Z_OK || inflate(&stream, Z_FINISH) != Z_STREAM_END)
        fail("inflate");
    *out_length = stream.total_out;
    inflateEnd(&stream);
#endif
    return out;
}

static const uint8_t *find_data(const uint8_t *bytes, size_t length, size_t *data_length) {
    *data_length = length;
    if (length > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return bytes;
    for (size_t at = 0; at + BLOCK <= length && bytes[at];) {
        size_t size = octal(bytes + at + 124, 12);
        if (strcmp((const char *)bytes + at, "data.tar.gz") == 0) {
            *data_length = size;
            return bytes + at + BLOCK;
        }
        at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
    fail("no data.tar.gz");
    return NULL;
}

/* mkdir -p. Remembers the last folder, since consecutive files are usually in the same one. */
static void make_folder_of(struct archive *archive, char *last, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = (size_t)(slash - path);
    if (strncmp(last, path, length) == 0 && last[length] == '\0')
        return;
    memcpy(last, path, length);
    last[length] = '\0';
    if (mkdir(last, 0777) == 0) {
        archive->folders++;
        return;
    }
    if (errno == EEXIST)
        return;
    char parent[PATH_MAX] = "";
    make_folder_of(archive, parent, last);
    if (mkdir(last, 0777) != 0 && errno != EEXIST)
        fail(last);
    archive->folders++;
}

static void walk(struct archive *archive, const uint8_t *tar, size_t length) {
    size_t capacity = 0;
    char last[PATH_MAX] = "";
    char long_name[PATH_MAX] = "";
    for (size_t at = 0; at + BLOCK <= length && tar[at];) {
        const uint8_t *header = tar + at;
        size_t size = octal(header + 124, 12);
        if (header[156] == 'L')
            snprintf(long_name, sizeof(long_name), "%.*s", (int)size, header + BLOCK);
        if (header[156] == '0' || header[156] == '\0') {
            if (archive->count == capacity) {
                capacity = capacity ? 2 * capacity : 256;
                archive->files = realloc(archive->files, capacity * sizeof(*archive->files));
            }
            struct file *file = &archive->files[archive->count++];
            int made = long_name[0]  ? asprintf(&file->path, "%s/%s", archive->folder, long_name)
                       : header[345] ? asprintf(&file->path, "%s/%.155s/%.100s", archive->folder, header + 345, header)
                                     : asprintf(&file->path, "%s/%.100s", archive->folder, header);
            if (made < 0)
                fail("memory");
            long_name[0] = '\0';
            file->bytes = header + BLOCK;
            file->length = size;
            file->mode = (mode_t)octal(header + 100, 8) & 0777;
            make_folder_of(archive, last, file->path);
        }
        at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
}

static void open_archive(size_t index) {
    struct archive *archive = &archives[index];
    size_t length, data_length, tar_length;
    uint8_t *bytes = read_whole(archive->path, &length);
    const uint8_t *data = find_data(bytes, length, &data_length);
    uint8_t *tar = inflate_whole(data, data_length, &tar_length);
    free(bytes);
    if (mkdir(archive->folder, 0777) != 0)
        fail(archive->folder);
    walk(archive, tar, tar_length);
}

static void write_file(size_t index) {
    const struct file *file = all_files[index];
    int descriptor = open(file->path, O_WRONLY | O_CREAT | O_TRUNC, file->mode);
    if (descriptor < 0)
        fail(file->path);
    if (file->mode & 022 && fchmod(descriptor, file->mode) != 0)
        fail(file->path);
    if (file->length && write(descriptor, file->bytes, file->length) != (ssize_t)file->length)
        fail(file->path);
    close(descriptor);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: extract THREADS DESTINATION ARCHIVE...\n");
        return 2;
    }
    unsigned threads = (unsigned)atoi(argv[1]);
    size_t count = (size_t)(argc - 3), files = 0, folders = 0;
    archives = calloc(count, sizeof(*archives));
    double begin = seconds(), cpu = cpu_seconds();
    if (mkdir(argv[2], 0777) != 0)
        fail(argv[2]);
    for (size_t i = 0; i < count; i++) {
        archives[i].path = argv[i + 3];
        if (asprintf(&archives[i].folder, "%s/%zu", argv[2], i) < 0)
            fail("memory");
    }
    run(threads, count, 1, open_archive);
    for (size_t i = 0; i < count; i++) {
        files += archives[i].count;
        folders += archives[i].folders + 1;
    }
    all_files = malloc((files + 1) * sizeof(*all_files));
    for (size_t i = 0, at = 0; i < count; i++)
        for (size_t j = 0; j < archives[i].count; j++)
            all_files[at++] = &archives[i].files[j];
    run(threads, files, 16, write_file);
    printf("%.6f %.6f %zu %zu\n", seconds() - begin, cpu_seconds() - cpu, files, folders);
    return 0;
}
