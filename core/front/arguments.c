#include "front/arguments.h"

#include <string.h>

/* What an option does to spate_arguments. */
enum effect { NOTHING, JSON, QUIET, VERBOSE, GEMFILE };
/* What an option's value must be. */
enum value { NO_VALUE, WORD, COUNT, NUMBER };

typedef struct option {
    const char *name;
    enum value value;
    enum effect effect;
} option;

static const option VERSION[] = {{"--json", NO_VALUE, JSON},        {"--quiet", NO_VALUE, QUIET},
                                 {"-q", NO_VALUE, QUIET},           {"--color", NO_VALUE, NOTHING},
                                 {"--no-color", NO_VALUE, NOTHING}, {0}};

static const option CHECK[] = {{"--gemfile", WORD, GEMFILE},      {"--json", NO_VALUE, JSON},
                               {"--quiet", NO_VALUE, QUIET},      {"-q", NO_VALUE, QUIET},
                               {"--no-color", NO_VALUE, NOTHING}, {0}};

/* --frozen changes an error only, the others how missing gems are installed. */
static const option INSTALL[] = {{"--gemfile", WORD, GEMFILE},    {"--json", NO_VALUE, JSON},
                                 {"--quiet", NO_VALUE, QUIET},    {"-q", NO_VALUE, QUIET},
                                 {"--frozen", NO_VALUE, NOTHING}, {"--no-color", NO_VALUE, NOTHING},
                                 {"--jobs", COUNT, NOTHING},      {"-j", COUNT, NOTHING},
                                 {"--retry", NUMBER, NOTHING},    {0}};

static const option EXEC[] = {{"--gemfile", WORD, GEMFILE},
                              {"--verbose", NO_VALUE, VERBOSE},
                              {"--keep-file-descriptors", NO_VALUE, NOTHING},
                              {0}};

/* As CLI::Install::NEEDLESS: removed before the options are read. */
static const char *const NEEDLESS[] = {"--full-index", "--no-cache", "--no-prune", "--prefer-local"};

static bool needless(const char *word) {
    for (size_t at = 0; at < sizeof(NEEDLESS) / sizeof(*NEEDLESS); at++)
        if (strcmp(word, NEEDLESS[at]) == 0)
            return true;
    return false;
}

/* The next word that counts, or NULL at the end. */
static const char *next(char *const **words, spate_task task) {
    while (task == SPATE_TASK_INSTALL && **words && needless(**words))
        (*words)++;
    return **words ? *(*words)++ : NULL;
}

/* Splits "--name=value", "-nvalue" and "-n=value". Returns the option of that name, or NULL. */
static const option *find(const option *options, const char *word, const char **attached) {
    bool lengthy = word[0] == '-' && word[1] == '-';
    size_t length = lengthy ? strcspn(word, "=") : strlen(word) < 2 ? strlen(word) : 2;
    for (; options->name; options++) {
        if (strlen(options->name) != length || memcmp(options->name, word, length) != 0)
            continue;
        *attached = word[length] == '\0' ? NULL : word + length + (word[length] == '=');
        return options;
    }
    return NULL;
}

static bool valid(enum value kind, const char *text) {
    if (kind == WORD)
        return text[0] != '\0';
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 9 && text[digits] == '\0' && (kind == NUMBER || strspn(text, "0") != digits);
}

/* The option's value; NULL if it is missing or invalid. */
static const char *value_of(const option *found, const char *attached, char *const **words, spate_task task) {
    const char *text = attached;
    if (!text) {
        text = next(words, task);
        if (!text || text[0] == '-')
            return NULL;
    }
    return valid(found->value, text) ? text : NULL;
}

static bool read_option(const option *options, const char *word, char *const **words, spate_arguments *read) {
    const char *attached = NULL;
    const option *found = find(options, word, &attached);
    if (!found)
        return false;
    const char *value = NULL;
    if (found->value == NO_VALUE) {
        if (attached)
            return false;
    } else if (!(value = value_of(found, attached, words, read->task))) {
        return false;
    }
    switch (found->effect) {
    case NOTHING: break;
    case JSON: read->json = true; break;
    case QUIET: read->quiet = true; break;
    case VERBOSE: read->verbose = true; break;
    case GEMFILE: read->gemfile = value; break;
    }
    return true;
}

/* Options only: no command but exec has operands. */
static bool read_options(const option *options, char *const *words, spate_arguments *read) {
    const char *word;
    while ((word = next(&words, read->task)))
        if (!read_option(options, word, &words, read))
            return false;
    return true;
}

/* Options before the program; "--" may end them, and so does a Gemfile in a word of its own: see CLI::Exec.call. */
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

static const option *options_of(spate_task task) {
    return task == SPATE_TASK_VERSION ? VERSION : task == SPATE_TASK_INSTALL ? INSTALL : CHECK;
}

static spate_task task_of(const char *name) {
    static const struct {
        const char *name;
        spate_task task;
    } tasks[] = {{"install", SPATE_TASK_INSTALL}, {"i", SPATE_TASK_INSTALL},        {"check", SPATE_TASK_CHECK},
                 {"exec", SPATE_TASK_EXEC},       {"e", SPATE_TASK_EXEC},           {"version", SPATE_TASK_VERSION},
                 {"-v", SPATE_TASK_VERSION},      {"--version", SPATE_TASK_VERSION}};
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
    bool known = read.task == SPATE_TASK_EXEC   ? read_exec(argv + 2, &read)
                 : read.task == SPATE_TASK_RUBY ? false
                                                : read_options(options_of(read.task), argv + 2, &read);
    if (!known)
        return (spate_arguments){.task = SPATE_TASK_RUBY};
    return read;
}
