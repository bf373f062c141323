#include "archive/tar_header.h"

#include <stdlib.h>
#include <string.h>

typedef struct pax_record {
    const char *keyword;
    size_t keyword_length;
    const char *value;
    size_t value_length;
} pax_record;

static spate_status corrupt(spate_error *error) {
    return spate_fail(error, SPATE_CORRUPT, NULL, "a PAX header without LENGTH KEYWORD=VALUE records");
}

/* Parses at least one decimal digit up to `end`. Returns false if there is any other character. */
static bool parse_decimal(const char *digits, const char *end, uint64_t *value) {
    *value = 0;
    if (digits == end)
        return false;
    for (; digits < end; digits++) {
        uint64_t digit = (uint64_t)(unsigned char)*digits - '0';
        if (*digits < '0' || *digits > '9' || *value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* Parses the record at records + *at and moves *at past it. */
static bool take_record(const char *records, size_t length, size_t *at, pax_record *record) {
    const char *start = records + *at;
    size_t left = length - *at;
    const char *blank = memchr(start, ' ', left);
    uint64_t size = 0;

    if (blank == NULL || !parse_decimal(start, blank, &size) || size > left)
        return false;
    const char *end = start + size;
    if (end <= blank + 1 || end[-1] != '\n')
        return false;
    record->keyword = blank + 1;
    const char *equals = memchr(record->keyword, '=', (size_t)(end - record->keyword));
    if (equals == NULL || equals == record->keyword)
        return false;
    record->keyword_length = (size_t)(equals - record->keyword);
    record->value = equals + 1;
    record->value_length = (size_t)(end - 1 - record->value);
    *at += (size_t)size;
    return true;
}

static bool keyword_is(const pax_record *record, const char *keyword) {
    return strlen(keyword) == record->keyword_length && memcmp(record->keyword, keyword, record->keyword_length) == 0;
}

static bool keyword_begins(const pax_record *record, const char *beginning) {
    size_t length = strlen(beginning);
    return record->keyword_length >= length && memcmp(record->keyword, beginning, length) == 0;
}

/* An empty value deletes an earlier value (POSIX). */
static spate_status keep_text(char **kept, const pax_record *record, spate_error *error) {
    free(*kept);
    *kept = NULL;
    if (record->value_length == 0)
        return SPATE_OK;
    *kept = malloc(record->value_length + 1);
    if (*kept == NULL)
        return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory for a PAX header");
    memcpy(*kept, record->value, record->value_length);
    (*kept)[record->value_length] = '\0';
    if (memchr(*kept, 0, record->value_length) != NULL) {
        return spate_fail(error, SPATE_REFUSED, *kept, "a PAX %.*s that contains a null byte",
                          (int)record->keyword_length, record->keyword);
    }
    return SPATE_OK;
}

static spate_status keep_size(spate_tar_pax *pax, const pax_record *record, spate_error *error) {
    pax->has_size = record->value_length > 0;
    if (pax->has_size && !parse_decimal(record->value, record->value + record->value_length, &pax->size))
        return spate_fail(error, SPATE_CORRUPT, pax->path, "the PAX size is negative, too large or not a number");
    return SPATE_OK;
}

spate_status spate_tar_pax_parse(spate_tar_pax *pax, const char *records, size_t length, spate_error *error) {
    size_t at = 0;
    while (at < length) {
        pax_record record;
        spate_status status = SPATE_OK;
        if (!take_record(records, length, &at, &record))
            return corrupt(error);
        if (keyword_is(&record, "path"))
            status = keep_text(&pax->path, &record, error);
        else if (keyword_is(&record, "linkpath"))
            status = keep_text(&pax->link_path, &record, error);
        else if (keyword_is(&record, "size"))
            status = keep_size(pax, &record, error);
        else if (keyword_begins(&record, "GNU.sparse."))
            pax->sparse = true;
        if (status != SPATE_OK)
            return status;
    }
    return SPATE_OK;
}

spate_status spate_tar_pax_check_global(const char *records, size_t length, spate_error *error) {
    size_t at = 0;
    while (at < length) {
        pax_record record;
        if (!take_record(records, length, &at, &record))
            return corrupt(error);
        if (keyword_is(&record, "path") || keyword_is(&record, "linkpath") || keyword_is(&record, "size") ||
            keyword_begins(&record, "GNU.sparse.")) {
            return spate_fail(error, SPATE_REFUSED, NULL, "a global PAX header that sets %.*s for every member",
                              (int)record.keyword_length, record.keyword);
        }
    }
    return SPATE_OK;
}

void spate_tar_pax_free(spate_tar_pax *pax) {
    free(pax->path);
    free(pax->link_path);
    memset(pax, 0, sizeof *pax);
}
