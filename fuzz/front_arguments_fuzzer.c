/*
 * The texts that the front end reads: words, environment, boot log, versions, paths. The input is a list of texts that
 * end with NUL; "--" alone begins the environment.
 */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
