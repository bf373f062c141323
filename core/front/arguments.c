#include "front/arguments.h"

#include <string.h>

/* The field of spate_arguments that an option sets. */
enum effect { NOTHING, JSON, VERBOSE, GEMFILE };

typedef struct option {
    const char *name;
    bool value;
    enum effect effect;
} option;

static const option VERSION[] = {{"--json", false, JSON},        {"--quiet", false, NOTHING},
                                 {"-q", false, NOTHING},         {"--color", false, NOTHING},
                                 {"--no-color", false, NOTHING}, {0}};

static const option EXEC[] = {{"--gemfile", true, GEMFILE},
                              {"--verbose", false, VERBOSE},
                              {"--keep-file-descriptors", false, NOTHING},
                              {0}};

/* Finds the option named in "--name=value" or "--name". Sets *attached to the value, if any. Returns NULL for an
 * unknown option. */
static const option *find(const option *options, const char *word, const char **attached) {
    size_t length = strcspn(word, "=");
    for (; options->name; options++) {
        if (strlen(options->name) != length || memcmp(options->name, word, length) != 0)
            continue;
        *attached = word[length] == '\0' ? NULL : word + length + 1;
        return options;
    }
    return NULL;
}

/* Returns false for an unknown option, or a missing, empty or unexpected value; Ruby reports these. */
static bool read_option(const option *options, const char *word, char *const **words, spate_arguments *read) {
    const char *value = NULL;
    const option *found = find(options, word, &value);
    if (!found || (value && !found->value))
        return false;
    if (found->value && !value && **words)
        value = *(*words)++;
    if (found->value && (!value || value[0] == '\0' || value[0] == '-'))
        return false;
    switch (found->effect) {
    case NOTHING: break;
    case JSON: read->json = true; break;
    case VERBOSE: read->verbose = true; break;
    case GEMFILE: read->gemfile = value; break;
    }
    return true;
}

static bool read_version(char *const *words, spate_arguments *read) {
    while (*words) {
        const char *word = *words++;
        if (!read_option(VERSION, word, &words, read))
            return false;
    }
    return true;
}

/* Reads the options before the program name. They end at "--", or after a Gemfile that is a separate word: see
 * CLI::Exec.call. */
static bool read_exec(char *const *words, spate_arguments *read) {
    bool more = true;
    while (more && *words && **words == '-' && strcmp(*words, "--") != 0) {
        const char *word = *words++;
        if (!read_option(EXEC, word, &words, read))
            return false;
        more = strcmp(word, "--gemfile") != 0;
    }
    if (*words && strcmp(*words, "--") == 0)
        words++;
    read->program = words;
    return *words != NULL;
}

static spate_task task_of(const char *name) {
    static const struct {
        const char *name;
        spate_task task;
    } tasks[] = {{"exec", SPATE_TASK_EXEC},
                 {"e", SPATE_TASK_EXEC},
                 {"version", SPATE_TASK_VERSION},
                 {"-v", SPATE_TASK_VERSION},
                 {"--version", SPATE_TASK_VERSION}};
    for (size_t at = 0; at < sizeof(tasks) / sizeof(*tasks); at++)
        if (strcmp(name, tasks[at].name) == 0)
            return tasks[at].task;
    return SPATE_TASK_RUBY;
}

spate_arguments spate_read_arguments(char *const *argv) {
    spate_arguments read = {.task = SPATE_TASK_RUBY};
    if (!argv[0] || !argv[1])
        return read;
    read.task = task_of(argv[1]);
    bool known = read.task == SPATE_TASK_EXEC      ? read_exec(argv + 2, &read)
                 : read.task == SPATE_TASK_VERSION ? read_version(argv + 2, &read)
                                                   : false;
    return known ? read : (spate_arguments){.task = SPATE_TASK_RUBY};
}
