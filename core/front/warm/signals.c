#include "front/warm/signals.h"

#ifdef __linux__

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL_MAX 64
/* As a shell. */
#define ENDED_BY 128

static const int FORWARDED[] = {SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM, SIGUSR1,
                                SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGTSTP};

static uint64_t bit(int signal) {
    return (uint64_t)1 << (signal - 1);
}

/* Signals that the C library keeps for itself are in neither mask. */
static void read_masks(spate_warm_signals *signals) {
    signals->ignored = signals->blocked = 0;
    for (int signal = 1; signal <= SIGNAL_MAX; signal++) {
        struct sigaction action;
        if (signal != SIGINT && sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            signals->ignored |= bit(signal);
        if (sigismember(&signals->before, signal) == 1)
            signals->blocked |= bit(signal);
    }
}

bool spate_warm_take_signals(spate_warm_signals *signals) {
    sigset_t taken;
    if (sigprocmask(SIG_BLOCK, NULL, &signals->before) != 0)
        return false;
    read_masks(signals);
    (void)sigemptyset(&taken);
    /* CONT continues the process also if it is ignored. A blocked signal arrives even so. */
    for (size_t at = 0; at < sizeof(FORWARDED) / sizeof(*FORWARDED); at++)
        if (FORWARDED[at] == SIGCONT || !(signals->ignored & bit(FORWARDED[at])))
            (void)sigaddset(&taken, FORWARDED[at]);
    signals->descriptor = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->descriptor < 0)
        return false;
    if (sigprocmask(SIG_BLOCK, &taken, NULL) == 0)
        return true;
    (void)close(signals->descriptor);
    return false;
}

void spate_warm_return_signals(spate_warm_signals *signals) {
    (void)close(signals->descriptor);
    (void)sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/* A terminal signals the foreground group, which has this process in place of the child's group. */
static bool is_from_terminal(const struct signalfd_siginfo *info) {
    return info->ssi_code > 0 && info->ssi_signo != SIGALRM;
}

void spate_warm_forward(const spate_warm_signals *signals, pid_t child) {
    struct signalfd_siginfo info;
    while (read(signals->descriptor, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        bool group = is_from_terminal(&info) || info.ssi_signo == SIGCONT;
        (void)kill(group ? -child : child, (int)info.ssi_signo);
    }
}

/* Of the default action, which is the signal's purpose. */
static void raise_signal(int signal) {
    struct sigaction ordinary = {.sa_handler = SIG_DFL};
    sigset_t one, before;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, signal);
    (void)sigaction(signal, &ordinary, NULL);
    (void)raise(signal);
    (void)sigprocmask(SIG_UNBLOCK, &one, &before);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

void spate_warm_stop(int signal, pid_t child) {
    static const struct timespec now;
    sigset_t continued;
    raise_signal(signal);
    /* It would continue the child a second time. */
    (void)sigemptyset(&continued);
    (void)sigaddset(&continued, SIGCONT);
    (void)sigtimedwait(&continued, NULL, &now);
    (void)kill(-child, SIGCONT);
}

int spate_warm_end_by(int signal) {
    (void)prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
    raise_signal(signal);
    return ENDED_BY + signal;
}

#endif
