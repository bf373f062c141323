#ifndef SPATE_SERVER_PROFILE_H
#define SPATE_SERVER_PROFILE_H

/*
 * A sampling profiler of the process's CPU time. Reading order: ticks.c (the signal handler and its ring), tree.c (what
 * the ring is emptied into), profile.c (what Ruby sees).
 *
 * ITIMER_PROF sends SIGPROF for every interval of CPU time that the process took, to the thread that took it: an idle
 * server is not woken. The handler notes that thread's stack with rb_profile_frames in memory made before; it allocates
 * nothing and takes no lock. A thread of Ruby's empties the ring into a tree of stacks several times a second.
 */
#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames of a stack that are noted, from the innermost on. */
#define SPATE_TICK_DEPTH 400

enum spate_tick_kind {
    SPATE_TICK_RUBY,    /* holds Ruby's lock */
    SPATE_TICK_OUTSIDE, /* a thread of Ruby's at work without the lock: in C that gave it up */
    SPATE_TICK_GC,      /* collects garbage; no stack */
    SPATE_TICK_FOREIGN, /* a thread that Ruby does not know; no stack */
};

typedef struct spate_tick {
    uint64_t at;     /* nanoseconds, CLOCK_MONOTONIC */
    uint64_t cpu;    /* nanoseconds of the process's CPU time since the tick before: what this one stands for */
    uint64_t thread; /* the system's number, that Thread#native_thread_id answers */
    int kind;
    int depth;
    VALUE frames[SPATE_TICK_DEPTH]; /* innermost first; marked by spate_ticks_mark until they are taken */
    int lines[SPATE_TICK_DEPTH];
} spate_tick;

/*
 * Starts the timer; microseconds of CPU time between two ticks. 0, or errno. The kernel rounds the interval up to its
 * own tick (1 to 10 ms): spate_tick.cpu says what really passed.
 */
int spate_ticks_start(long interval);
/* No tick is noted once this returned. What was noted stays. 0, or errno. */
int spate_ticks_stop(void);
/* After fork, in the child: the kernel gave it no timer. */
void spate_ticks_forget(void);
/* The oldest tick, or NULL; valid until spate_ticks_done. */
const spate_tick *spate_ticks_first(void);
void spate_ticks_done(void);
/* For the garbage collector. */
void spate_ticks_mark(void);
/* Ticks that found the ring full or the handler busy in another thread. Their CPU time is in the next one's. */
uint64_t spate_ticks_missed(void);

/* Stacks as a tree: node 0 is the root, and has no frame. Belongs to one object; all under Ruby's lock. */
typedef struct spate_tree spate_tree;

/* Frames that are no object of Ruby's come first. */
enum { SPATE_FRAME_GC, SPATE_FRAME_FOREIGN, SPATE_FRAME_OWN_COUNT };

/* limit: samples that are kept with their times. NULL where there is no memory. */
spate_tree *spate_tree_new(size_t limit);
void spate_tree_free(spate_tree *tree);
void spate_tree_mark(const spate_tree *tree);
size_t spate_tree_size(const spate_tree *tree);
/* False where the tick could not be kept: past the limit, or no memory. */
bool spate_tree_add(spate_tree *tree, const spate_tick *tick);

typedef struct spate_tree_node {
    uint32_t parent;
    uint32_t frame; /* number of a frame, below SPATE_FRAME_OWN_COUNT one of those */
    uint32_t line;
} spate_tree_node;

typedef struct spate_tree_sample {
    uint64_t at;
    uint64_t thread;
    uint32_t cpu; /* microseconds */
    uint32_t node;
    int kind;
} spate_tree_sample;

const spate_tree_node *spate_tree_nodes(const spate_tree *tree, size_t *count);
const spate_tree_sample *spate_tree_samples(const spate_tree *tree, size_t *count);
/* Objects for rb_profile_frame_full_label; the first is number SPATE_FRAME_OWN_COUNT. */
const VALUE *spate_tree_frames(const spate_tree *tree, size_t *count);
uint64_t spate_tree_dropped(const spate_tree *tree);

#endif
