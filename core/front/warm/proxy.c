#include "front/warm/proxy.h"

#ifdef __linux__

#include <errno.h>
#include <poll.h>
#include <stdio.h>

/* EX_SOFTWARE from sysexits.h. */
#define UNKNOWN_RESULT 70

static int fail(void) {
    (void)fprintf(stderr, "error: the warm parent of this command ended; its result is not known\n"
                          "hint: spate warm off, or repeat the command\n");
    return UNKNOWN_RESULT;
}

/* Handles a reply. Returns true and sets *status if the child has ended. */
static bool follow(const spate_warm_reply *reply, pid_t child, int *status) {
    switch (reply->kind) {
    case SPATE_WARM_STOPPED: spate_warm_stop(reply->value, child); return false;
    case SPATE_WARM_EXITED: *status = reply->value; return true;
    case SPATE_WARM_SIGNALED: *status = spate_warm_end_by(reply->value); return true;
    case SPATE_WARM_STARTED:
    case SPATE_WARM_REFUSED: break;
    }
    *status = fail();
    return true;
}

int spate_warm_proxy(spate_warm_connection *connection, const spate_warm_signals *signals, pid_t child) {
    struct pollfd entries[] = {{.fd = connection->descriptor, .events = POLLIN},
                               {.fd = signals->descriptor, .events = POLLIN}};
    for (;;) {
        spate_warm_reply reply;
        spate_warm_arrival arrival;
        int status;
        /* Reads replies first, so that no signal is sent to a process that has already ended. */
        while ((arrival = spate_warm_receive(connection, &reply)) == SPATE_WARM_REPLY)
            if (follow(&reply, child, &status))
                return status;
        if (arrival == SPATE_WARM_END)
            return fail();
        spate_warm_forward(signals, child);
        if (poll(entries, sizeof(entries) / sizeof(*entries), -1) < 0 && errno != EINTR)
            return fail();
    }
}

#endif
