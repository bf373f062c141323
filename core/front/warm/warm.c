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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies the line of a record, the path of the parent's socket. */
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

/*
 * Sets the path of the socket of the parent whose record has this key: "warm", the kind, the streams, the state. false
 * unless its boot would be the same now.
 */
static bool find_parent(const spate_launcher *launcher, char *kind, char *const *environment, const char *folder,
                        char path[PATH_MAX]) {
    char streams[4], state[SPATE_WARM_STATE_MAX];
    if (!spate_warm_state(state))
        return false;
    spate_warm_streams(streams);
    char *const words[] = {(char[]){"warm"}, kind, streams, state, NULL};
    struct spate_front_request asked = {
        .cwd = folder, .environment = environment, .launcher = launcher->path, .words = words};
    struct spate_front_answer found;
    bool holds = spate_front_in_place(&asked, &found) && read_path(found.output, path);
    spate_front_release(&found);
    return holds;
}

/* Sends the command with the signals that the client had. */
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
    bool done = find_parent(launcher, kind, copy.entries, folder, path) && run(path, &command, status);
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
