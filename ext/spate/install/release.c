#include "native.h"

#include <pthread.h>
#include <ruby/thread.h>
#include <signal.h>

/* A call of spate_release. */
typedef struct running {
    struct running *next;
    spate_work work;
    void *context;
    spate_cancel cancel;
    spate_status status;
    bool done;
    bool interrupted;
    pthread_mutex_t lock; /* protects `done` and `interrupted` if the work has a separate thread */
    pthread_cond_t changed;
} running;

/* Both variables are accessed only with the GVL. */
static running *all_running;
static bool cancel_everything;

bool spate_cancel_requested(void) {
    return cancel_everything;
}

void spate_cancel_request(bool requested) {
    cancel_everything = requested;
    for (running *r = all_running; r && requested; r = r->next)
        r->cancel.requested = 1;
}

static void enlist(running *r) {
    r->cancel.requested = cancel_everything;
    r->interrupted = r->done = false;
    r->next = all_running;
    all_running = r;
}

static void strike(running *r) {
    for (running **link = &all_running; *link; link = &(*link)->next) {
        if (*link != r)
            continue;
        *link = r->next;
        return;
    }
}

/* ---- run directly, on any thread except the main one ---- */

static void *run_in_place(void *argument) {
    running *r = argument;
    r->status = r->work(r->context, &r->cancel);
    r->done = true;
    return NULL;
}

static void cancel_in_place(void *argument) {
    running *r = argument;
    r->interrupted = true;
    r->cancel.requested = 1;
}

static spate_status release_in_place(running *r) {
    for (;;) {
        enlist(r);
        rb_thread_call_without_gvl2(run_in_place, r, cancel_in_place, r);
        strike(r);
        rb_thread_check_ints();
        if (r->done && !(r->status == SPATE_CANCELLED && r->interrupted && !cancel_everything))
            return r->status;
    }
}

/* ---- run on a separate thread, for the main thread ---- */

static void *run_beside(void *argument) {
    running *r = argument;
    spate_status status = r->work(r->context, &r->cancel);
    pthread_mutex_lock(&r->lock);
    r->status = status;
    r->done = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void *wait_for_change(void *argument) {
    running *r = argument;
    pthread_mutex_lock(&r->lock);
    while (!r->done && !r->interrupted)
        pthread_cond_wait(&r->changed, &r->lock);
    r->interrupted = false;
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void stop_waiting(void *argument) {
    running *r = argument;
    pthread_mutex_lock(&r->lock);
    r->interrupted = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Waits for the end of the work or an interrupt. Called through rb_protect because waiting for the GVL may raise,
 * too. */
static VALUE wait_once(VALUE argument) {
    running *r = (running *)argument;
    rb_thread_call_without_gvl2(wait_for_change, r, stop_waiting, r);
    rb_thread_check_ints();
    return Qnil;
}

static bool is_done(running *r) {
    pthread_mutex_lock(&r->lock);
    bool done = r->done;
    pthread_mutex_unlock(&r->lock);
    return done;
}

static bool start_beside(running *r, pthread_t *thread) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    bool started = pthread_create(thread, NULL, run_beside, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static spate_status release_beside(running *r) {
    pthread_t thread;
    int raised = 0;
    if (pthread_mutex_init(&r->lock, NULL) != 0)
        return release_in_place(r);
    if (pthread_cond_init(&r->changed, NULL) != 0) {
        pthread_mutex_destroy(&r->lock);
        return release_in_place(r);
    }
    enlist(r);
    bool started = start_beside(r, &thread);
    while (started && !raised && !is_done(r))
        rb_protect(wait_once, (VALUE)r, &raised);
    if (raised)
        r->cancel.requested = 1;
    if (started)
        pthread_join(thread, NULL); /* after a cancellation, the work ends after at most one file */
    strike(r);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    if (raised)
        rb_jump_tag(raised);
    return started ? r->status : release_in_place(r);
}

spate_status spate_release(spate_work work, void *context) {
    running r = {.work = work, .context = context};
    if (rb_thread_current() == rb_thread_main())
        return release_beside(&r);
    return release_in_place(&r);
}
