/* Tests a client's connection to its warm parent. */
#include "test/harness.h"

#ifdef __linux__

#include "front/warm/connection.h"

#include <sys/socket.h>
#include <unistd.h>

/* Waits for the first reply of a parent that sends these bytes and ends. Returns the child, or -7 without one. */
static int child_after(const void *bytes, size_t length) {
    int ends[2], child = -7;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(length == 0 || send(ends[1], bytes, length, MSG_NOSIGNAL) == (ssize_t)length);
    CHECK(close(ends[1]) == 0);
    spate_warm_connection connection = {.descriptor = ends[0]};
    bool started = spate_warm_await_start(&connection, &child);
    CHECK(started == (child != -7));
    spate_warm_disconnect(&connection);
    return child;
}

TEST(only_a_whole_start_has_a_child) {
    static const char start[] = "\1\0\0\0\5\0\0\0", refusal[] = "\4\0\0\0\0\0\0\0";
    CHECK_NUMBER(5, child_after(start, SPATE_WARM_REPLY_BYTES));
    CHECK_NUMBER(-7, child_after(refusal, SPATE_WARM_REPLY_BYTES));
    for (size_t length = 0; length < SPATE_WARM_REPLY_BYTES; length++)
        CHECK_NUMBER(-7, child_after(start, length));
}

#else

TEST(nothing_here) {
    NEEDS(false, "no warm boots here");
}

#endif
