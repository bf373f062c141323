/* The signals of a client, which are its child's. */
#ifndef SPATE_FRONT_WARM_SIGNALS_H
#define SPATE_FRONT_WARM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct spate_warm_signals {
    int descriptor;   /* of signalfd */
    sigset_t before;  /* the mask, which spate_warm_return_signals restores */
    uint64_t ignored; /* as in spate_warm_command. INT is never ignored: see spate_exec */
    uint64_t blocked;
} spate_warm_signals;

/* Blocks the signals that are forwarded, and opens the descriptor. false: nothing is changed. */
bool spate_warm_take_signals(spate_warm_signals *signals);
void spate_warm_return_signals(spate_warm_signals *signals);

/* Sends the signals that have arrived to the child. Signals from a terminal go to the child's group. */
void spate_warm_forward(const spate_warm_signals *signals, pid_t child);

/* Stops this process by the signal; the child continues after it. */
void spate_warm_stop(int signal, pid_t child);

/* Ends this process by the signal, without a core file. Returns the exit status if the signal does not end it. */
int spate_warm_end_by(int signal);

#endif
