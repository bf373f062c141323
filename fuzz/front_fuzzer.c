/*
 * Fuzzes what the native program reads. If the input begins with the magic of a record of a command with nothing to do,
 * it is read as such a record. Otherwise it is a list of NUL-terminated texts, which are read as command line,
 * environment, boot log, versions and paths. The text "--" separates the words from the environment.
 */
#include "front/in_place.c"

#include "front/answer.h"
#include "front/arguments.h"
#include "front/exec/environment_block.h"
#include "front/exec/exec.h"
#include "front/exec/expand_path.h"
#include "front/exec/heap.h"
#include "front/launcher.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS 64

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Repairs sizes and checksum of seven in eight records. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    spate_in_place_header header;
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (length < sizeof(header) || seed % 8 == 0 || memcmp(bytes, SPATE_IN_PLACE_MAGIC, sizeof(header.magic)) != 0)
        return length;
    memcpy(&header, bytes, sizeof(header));
    size_t rest = length - sizeof(header);
    header.folders = (uint32_t)((rest / sizeof(spate_in_place_folder)) ? header.folders % 8 : 0);
    header.marks = header.marks % 16;
    size_t tables = header.folders * sizeof(spate_in_place_folder) + header.marks * sizeof(spate_in_place_mark);
    header.text = rest > tables ? (uint32_t)(rest - tables) : header.text;
    if (rest > tables)
        bytes[length - 1] = '\0';
    memcpy(bytes, &header, sizeof(header));
    size_t checked = offsetof(spate_in_place_header, folders);
    header.checksum = spate_crc32c(0, bytes + checked, length - checked);
    memcpy(bytes, &header, checked);
    return length;
}

static void read_words(char **words) {
    spate_arguments read = spate_read_arguments(words);
    if (read.task == SPATE_TASK_EXEC && (!read.program || !*read.program))
        abort();
    if (read.gemfile && !*read.gemfile)
        abort();
    (void)spate_plain_ruby_words(words);
}

static void read_environment(char **words, char **environment) {
    char kind[160];
    spate_environment copy;
    if (*words)
        (void)spate_boot_kind(words, environment, kind, sizeof(kind));
    if (!spate_environment_copy(&copy, environment, 1))
        return;
    spate_environment_unset(&copy, "A");
    size_t before = copy.count;
    if (!spate_environment_set(&copy, "A", "1") || copy.count != before + 1)
        abort();
    if (strcmp(spate_variable(copy.entries, "A"), "1") != 0)
        abort();
    free(copy.entries[copy.count - 1]);
    free(copy.entries);
}

static void read_texts(char **words, size_t count) {
    char expanded[PATH_MAX];
    spate_boots boots;
    if (count < 2)
        return;
    int order = spate_compare_versions(words[0], strlen(words[0]), words[1], strlen(words[1]));
    int reverse = spate_compare_versions(words[1], strlen(words[1]), words[0], strlen(words[0]));
    if ((order > 0) != (reverse < 0))
        abort();
    if (spate_expand_path(words[0], words[1], expanded) && (expanded[0] != '/' || strstr(expanded, "//")))
        abort();
    (void)spate_read_boots(words[0], words[1], &boots);
}

/* A record that parse() accepts can be compared and printed without leaving its memory. */
static void read_record(const uint8_t *data, size_t size) {
    static char *const environment[] = {"HOME=/nonexistent", "TERM=xterm", "A", NULL};
    static int null = -1;
    place_record record;
    if (null < 0)
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return;
    memcpy(bytes, data, size);
    if (parse(&record, bytes, size)) {
        struct spate_front_answer answer = {.output = record.text + record.header->output, .stream = null};
        (void)environment_holds(&record, environment);
        (void)paths_hold(&record, 1);
        (void)spate_answer_recorded(&answer, (int64_t)record.header->user * 1000000);
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size >= 7 && memcmp(data, SPATE_IN_PLACE_MAGIC, 7) == 0) {
        read_record(data, size);
        return 0;
    }
    char *text = malloc(size + 1);
    char *words[TEXTS + 1];
    char *environment[TEXTS + 1];
    size_t counts[2] = {0, 0};
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text, list = 0; at < text + size; at += strlen(at) + 1)
        if (!list && strcmp(at, "--") == 0)
            list = 1;
        else if (counts[(int)list] < TEXTS)
            (list ? environment : words)[counts[(int)list]++] = at;
    words[counts[0]] = environment[counts[1]] = NULL;
    read_words(words);
    read_environment(words, environment);
    read_texts(words, counts[0]);
    free(text);
    return 0;
}
