#include "front/front.h"

#include "base/times.h"
#include "front/answer.h"
#include "front/arguments.h"
#include "front/exec/environment_block.h"
#include "front/exec/exec.h"
#include "front/hand_over.h"
#include "front/in_place.h"
#include "front/launcher.h"
#include "front/warm/warm.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    return clock_gettime(CLOCK_MONOTONIC, &time) == 0 ? spate_nanoseconds(time) : 0;
}

/*
 * Whether no variable is set that changes how Ruby behaves or what it prints. SPATE_FRONT=0 turns the native program
 * off.
 */
static bool ordinary(char *const *environment) {
    static const char *const unusual[] = {"RUBYOPT", "RUBYLIB", "RUBY_BOX", "RUBY_DEBUG"};
    const char *wanted = spate_variable(environment, "SPATE_FRONT");
    for (size_t at = 0; at < sizeof(unusual) / sizeof(*unusual); at++) {
        const char *value = spate_variable(environment, unusual[at]);
        if (value && *value)
            return false;
    }
    return !wanted || wanted[0] != '0' || wanted[1] != '\0';
}

/* Whether the standard streams are open. Ruby opens missing ones as /dev/null; here, a file could get their
 * descriptor. */
static bool has_streams(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            return false;
    return true;
}

/* Handles a command that had nothing to do the last time and has nothing to do now. */
static bool answer_by_record(const spate_launcher *launcher, const spate_exec_request *request, int64_t began) {
    struct spate_front_answer found;
    char folder[PATH_MAX];
    if (!request->argv[0] || !request->argv[1] || !getcwd(folder, sizeof(folder)) || folder[0] != '/')
        return false;
    struct spate_front_request asked = {
        .cwd = folder, .environment = request->environment, .launcher = launcher->path, .words = request->argv + 1};
    bool done = spate_front_in_place(&asked, &found) && spate_answer_recorded(&found, now() - began);
    spate_front_release(&found);
    return done;
}

/* Returns true if the command was completed without starting Ruby, and sets its exit status. */
static bool answer(const spate_launcher *launcher, const spate_exec_request *request, int64_t began, int *status) {
    *status = 0;
    switch (request->read->task) {
    case SPATE_TASK_VERSION: return spate_answer_version(launcher, request->version, request->read->json);
    case SPATE_TASK_EXEC:
        if (spate_warm(launcher, request, status))
            return true;
        spate_exec(launcher, request);
        return false;
    case SPATE_TASK_RUBY: return answer_by_record(launcher, request, began);
    }
    return false;
}

int spate_front(const spate_program *program, char *const *argv, char *const *environment) {
    /* Static because it is large. */
    static spate_launcher launcher;
    static char library[PATH_MAX];
    int64_t began = now();
    if (!spate_launcher_beside(&launcher, program->path)) {
        (void)fprintf(stderr, "error: the path of spate is too long: %s\nhint: spate setup --dir DIR\n", program->path);
        return 9;
    }
    spate_arguments read = spate_read_arguments(argv);
    int status;
    spate_exec_request request = {
        .read = &read, .library = library, .version = program->version, .argv = argv, .environment = environment};
    if (!program->privileged && has_streams() && ordinary(environment) &&
        spate_launcher_read(&launcher) && spate_launcher_holds(&launcher) &&
        spate_launcher_library(&launcher, program->version, library) && answer(&launcher, &request, began, &status))
        return status;
    return spate_hand_over(launcher.path, argv, environment);
}
