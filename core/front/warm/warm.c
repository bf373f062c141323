#include "front/warm/warm.h"

#ifdef __linux__

#include "front/in_place.h"
#include "front/warm/connection.h"
#include "front/warm/kind.h"
#include "front/warm/messages.h"
#include "front/warm/proxy.h"
#include "front/warm/signals.h"
#include "front/warm/state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Extracts the path of the parent's socket from the output of a record. */
static bool read_path(const char *output, char path[PATH_MAX]) {
    size_t length = 0;
    while ((unsigned char)output[length] >= ' ')
        length++;
    if (output[0] != '/' || length >= PATH_MAX || strcmp(output + length, "\n") != 0)
        return false;
    memcpy(path, output, length);
    path[length] = '\0';
    return true;
}

/* Sets `path` to the socket if there is a record with this key, and everything in it is unchanged. */
static bool read_record(const struct spate_front_request *asked, char path[PATH_MAX]) {
    struct spate_front_answer found;
    bool holds = spate_front_in_place(asked, &found) && read_path(found.output, path);
    spate_front_release(&found);
    return holds;
}

/*
 * Sets `path` to the socket of the first parent that has a record for "warm", the kind, the streams and the state, and
 * for the program if loading the application depends on its name. The kind "application NAME" is tried before
 * "framework NAME".
 */
static bool find_parent(const spate_launcher *launcher, char *kind, char *program, char *const *environment,
                        const char *folder, char path[PATH_MAX]) {
    char streams[4], state[SPATE_WARM_STATE_MAX], framework[SPATE_WARM_KIND_MAX];
    if (!spate_warm_state(state))
        return false;
    spate_warm_streams(streams);
    (void)snprintf(framework, sizeof(framework), "framework%s", kind + strlen("application"));
    char *kinds[] = {kind, framework}, *programs[] = {NULL, program};
    for (size_t at = 0; at < 4; at++) {
        char *words[] = {(char[]){"warm"}, kinds[at / 2], streams, state, programs[at % 2], NULL};
        struct spate_front_request asked = {
            .cwd = folder, .environment = environment, .launcher = launcher->path, .words = words};
        if (read_record(&asked, path))
            return true;
    }
    return false;
}

/* Sends the command with the client's original signal settings. */
static bool start(spate_warm_connection *connection, const spate_warm_signals *signals, spate_warm_command *command,
                  pid_t *child) {
    command->ignored = signals->ignored;
    command->blocked = signals->blocked;
    size_t length;
    uint8_t *bytes = spate_warm_encode(command, &length);
    bool sent = bytes && spate_warm_send(connection, bytes, length, command->others, command->other_count);
    free(bytes);
    return sent && spate_warm_await_start(connection, child);
}

static bool run(const char *path, spate_warm_command *command, int *status) {
    spate_warm_connection connection;
    spate_warm_signals signals;
    pid_t child;
    if (!spate_warm_connect(&connection, path))
        return false;
    bool done = false;
    if (spate_warm_take_signals(&signals)) {
        done = start(&connection, &signals, command, &child);
        if (done)
            *status = spate_warm_proxy(&connection, &signals, child);
        else
            spate_warm_return_signals(&signals);
    }
    spate_warm_disconnect(&connection);
    return done;
}

bool spate_warm(const spate_launcher *launcher, const spate_exec_request *request, int *status) {
    char kind[SPATE_WARM_KIND_MAX], folder[PATH_MAX], path[PATH_MAX];
    char *const *words = request->read->program;
    int others[SPATE_WARM_DESCRIPTORS - SPATE_WARM_STANDARD];
    int count;
    spate_environment copy;
    if (!spate_warm_kind(words, request->environment, kind) || !getcwd(folder, sizeof(folder)) ||
        !spate_warm_program_of(words[0], folder) || spate_warm_is_in_background() ||
        (count = spate_warm_inherited(others, sizeof(others) / sizeof(*others))) < 0 ||
        !spate_exec_environment(&copy, request))
        return false;
    spate_warm_command command = {
        .others = others, .other_count = (size_t)count, .words = words, .environment = copy.entries};
    bool done = find_parent(launcher, kind, words[0], copy.entries, folder, path) && run(path, &command, status);
    free(copy.entries);
    return done;
}

#else

bool spate_warm(const spate_launcher *launcher, const spate_exec_request *request, int *status) {
    (void)launcher;
    (void)request;
    (void)status;
    return false;
}

#endif
