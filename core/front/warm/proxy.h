/* Runs in the client while its child runs. */
#ifndef SPATE_FRONT_WARM_PROXY_H
#define SPATE_FRONT_WARM_PROXY_H

#include "front/warm/connection.h"
#include "front/warm/signals.h"

/*
 * Forwards signals to the child, and stops and exits when the child does. Returns the exit status. Does not return if a
 * signal killed the child.
 */
int spate_warm_proxy(spate_warm_connection *connection, const spate_warm_signals *signals, pid_t child);

#endif
