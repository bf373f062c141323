/* The life of a client while its child runs. */
#ifndef SPATE_FRONT_WARM_PROXY_H
#define SPATE_FRONT_WARM_PROXY_H

#include "front/warm/connection.h"
#include "front/warm/signals.h"

/*
 * Forwards signals to the child, and stops and ends as it does. Returns the exit status; does not return if a signal
 * ended the child.
 */
int spate_warm_proxy(spate_warm_connection *connection, const spate_warm_signals *signals, pid_t child);

#endif
