#define _GNU_SOURCE
#include "archive/gem.h"

#include "archive/tar.h"
#include "digest/hex.h"
#include "shared/inflate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A signed gem has six members, so 64 is generous. */
#define OUTER_MEMBERS_MAX 64

/* ---- archives that are not gems ---- */

static bool starts_with(const uint8_t *bytes, size_t length, const char *text) {
    size_t wanted = strlen(text);
    return length >= wanted && strncasecmp((const char *)bytes, text, wanted) == 0;
}

static spate_status refuse_other_formats(const uint8_t *archive, size_t length, spate_error *error) {
    const uint8_t *at = archive;
    size_t left = length;
    if (length == 0)
        return spate_fail(error, SPATE_TRUNCATED, "", "file is empty");
    if (starts_with(at, left, "\xEF\xBB\xBF")) {
        at += 3;
        left -= 3;
    }
    while (left > 0 && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        at++;
        left--;
    }
    if (starts_with(at, left, "<!doctype") || starts_with(at, left, "<html") || starts_with(at, left, "<?xml") ||
        starts_with(at, left, "<head") || starts_with(at, left, "<!--"))
        return spate_fail(error, SPATE_CORRUPT, "",
                          "an HTML or XML page, not a gem: a proxy or a login page may have answered");
    if (starts_with(at, left, "{"))
        return spate_fail(error, SPATE_CORRUPT, "",
                          "a JSON text, not a gem: the server may have answered with an error");
    if (starts_with(archive, length, "MD5SUM ="))
        return spate_fail(error, SPATE_CORRUPT, "", "a gem in the format from before 2005, which is not supported");
    if (length >= 2 && archive[0] == 0x1f && archive[1] == 0x8b)
        return spate_fail(error, SPATE_CORRUPT, "", "gzip data, not a gem");
    if (starts_with(archive, length, "PK\x03\x04"))
        return spate_fail(error, SPATE_CORRUPT, "", "a zip file, not a gem");
    return SPATE_OK;
}

/* ---- checksums.yaml ---- */

typedef struct line {
    const char *text;
    size_t length;
} line;

static bool next_line(const char **at, const char *end, line *found) {
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop)
        stop = end;
    *found = (line){*at, (size_t)(stop - *at)};
    *at = stop < end ? stop + 1 : end;
    while (found->length > 0 && (found->text[found->length - 1] == '\r' || found->text[found->length - 1] == ' '))
        found->length--;
    return true;
}

static line unquoted(line text) {
    while (text.length > 0 && *text.text == ' ')
        text = (line){text.text + 1, text.length - 1};
    char quote = text.length >= 2 ? text.text[0] : '\0';
    if ((quote == '"' || quote == '\'') && text.text[text.length - 1] == quote)
        text = (line){text.text + 1, text.length - 2};
    return text;
}

static bool is(line text, const char *word) {
    return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

/* Returns 0 for an unknown algorithm, otherwise its rank in `known`. A higher rank is preferred. */
static int algorithm_of(line text, spate_digest_kind *kind) {
    static const struct {
        const char *name;
        spate_digest_kind kind;
    } known[] = {{"SHA1", SPATE_SHA1}, {"SHA512", SPATE_SHA512}, {"SHA256", SPATE_SHA256}};
    for (int i = 0; i < 3; i++) {
        if (is(text, known[i].name)) {
            *kind = known[i].kind;
            return i + 1;
        }
    }
    return 0;
}

static spate_status take(spate_gem_part *part, spate_digest_kind kind, line value, spate_error *error) {
    if (starts_with((const uint8_t *)value.text, value.length, "!binary") || value.length == 0)
        return SPATE_OK; /* gems from 2012 have base64 on the following lines, which is ignored */
    if (!spate_unhex(value.text, value.length, part->checksum, spate_digest_bytes(kind)))
        return spate_fail(error, SPATE_CORRUPT, "checksums.yaml.gz", "checksum of %s is not %zu hex digits", part->name,
                          2 * spate_digest_bytes(kind));
    part->kind = kind;
    part->has_checksum = true;
    return SPATE_OK;
}

/* Parses lines of the form "ALGORITHM:", each followed by "  name: hex" lines. Uses the SHA-256 checksum if there are
 * several: it is the cheapest to compute of the strong ones. */
static spate_status read_checksums(spate_gem *gem, const char *text, size_t length, spate_error *error) {
    spate_digest_kind kind = SPATE_SHA256;
    int rank = 0;
    int taken[2] = {0, 0};
    spate_gem_part *const parts[2] = {&gem->metadata, &gem->data};
    line found;
    for (const char *at = text; next_line(&at, text + length, &found);) {
        const char *colon = memchr(found.text, ':', found.length);
        if (found.length == 0 || !colon)
            continue;
        line key = unquoted((line){found.text, (size_t)(colon - found.text)});
        if (found.text[0] != ' ') {
            rank = algorithm_of(key, &kind);
            continue;
        }
        line value = unquoted((line){colon + 1, found.length - (size_t)(colon + 1 - found.text)});
        for (int i = 0; i < 2; i++) {
            if (!parts[i]->bytes || !is(key, parts[i]->name) || rank <= taken[i])
                continue;
            spate_status status = take(parts[i], kind, value, error);
            if (status != SPATE_OK)
                return status;
            taken[i] = parts[i]->has_checksum ? rank : 0;
        }
    }
    return SPATE_OK;
}

/* ---- the members ---- */

static spate_status remember_name(char **names, size_t *count, const spate_tar_entry *found, spate_error *error) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names[i], found->name) == 0)
            return spate_fail(error, SPATE_REFUSED, found->name, "duplicate member of the gem");
    if (*count == OUTER_MEMBERS_MAX)
        return spate_fail(error, SPATE_LIMIT, found->name, "gem has more than %d members", OUTER_MEMBERS_MAX);
    names[*count] = strdup(found->name);
    if (!names[*count])
        return spate_fail(error, SPATE_NO_MEMORY, found->name, "no memory for a name");
    (*count)++;
    return SPATE_OK;
}

static spate_status find_parts(spate_gem *gem, spate_gem_part *checksums, spate_tar *tar, spate_error *error) {
    char *names[OUTER_MEMBERS_MAX];
    size_t count = 0;
    spate_status status;
    bool more = false;
    spate_gem_part plain = {.name = "metadata"};
    spate_gem_part *const parts[] = {&gem->metadata, &gem->data, checksums, &plain};
    for (;;) {
        spate_tar_entry found;
        status = spate_tar_next(tar, &found, &more, error);
        if (status == SPATE_OK && more)
            status = remember_name(names, &count, &found, error);
        if (status != SPATE_OK || !more)
            break;
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
            if (found.type != SPATE_TAR_FILE || strcmp(found.name, parts[i]->name) != 0)
                continue;
            parts[i]->bytes = found.payload;
            parts[i]->length = (size_t)found.size;
        }
    }
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    if (!gem->metadata.bytes && plain.bytes)
        gem->metadata = plain;
    return status;
}

spate_status spate_gem_read(spate_gem *gem, const uint8_t *archive, size_t length, spate_error *error) {
    memset(gem, 0, sizeof(*gem));
    gem->metadata.name = "metadata.gz";
    gem->data.name = "data.tar.gz";
    spate_gem_part checksums = {.name = "checksums.yaml.gz"};
    spate_tar *tar = NULL;
    spate_status status = refuse_other_formats(archive, length, error);
    if (status == SPATE_OK)
        status = spate_tar_open_memory(&tar, archive, length, error);
    if (status == SPATE_OK)
        status = find_parts(gem, &checksums, tar, error);
    spate_tar_close(tar);
    if (status != SPATE_OK)
        return status;
    if (!gem->metadata.bytes)
        return spate_fail(error, SPATE_CORRUPT, "metadata.gz", "missing from the gem");
    if (!gem->data.bytes)
        return spate_fail(error, SPATE_CORRUPT, "data.tar.gz", "missing from the gem");
    if (!checksums.bytes)
        return SPATE_OK;
    spate_buffer text = {0};
    status = spate_inflate(SPATE_GZIP_FIRST, checksums.bytes, checksums.length, SPATE_GEM_TEXT_MAX, &text, NULL, error);
    if (status == SPATE_OK)
        status = read_checksums(gem, (const char *)text.bytes, text.length, error);
    else if (error)
        strcpy(error->member, checksums.name);
    spate_buffer_free(&text);
    return status;
}

spate_status spate_gem_verify(const spate_gem_part *part, spate_error *error) {
    uint8_t found[SPATE_DIGEST_MAX];
    char expected_hex[2 * SPATE_DIGEST_MAX + 1];
    char found_hex[2 * SPATE_DIGEST_MAX + 1];
    if (!part->has_checksum)
        return SPATE_OK;
    size_t length = spate_digest_bytes(part->kind);
    spate_status status = spate_digest_once(part->kind, part->bytes, part->length, found);
    if (status != SPATE_OK)
        return spate_fail(error, status, part->name, "no digest could be computed");
    if (memcmp(found, part->checksum, length) == 0)
        return SPATE_OK;
    spate_hex(part->checksum, length, expected_hex);
    spate_hex(found, length, found_hex);
    return spate_fail(error, SPATE_CHECKSUM, part->name, "checksum in checksums.yaml.gz is %s, of the bytes %s",
                      expected_hex, found_hex);
}
