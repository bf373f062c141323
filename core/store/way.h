/*
 * Gives linking the right of way: it is short and someone waits for it, while extraction fills minutes. While something
 * links, extraction rests for up to twice the time that it worked, so that linking keeps most of the processors.
 */
#ifndef SPATE_WAY_H
#define SPATE_WAY_H

#include <stdatomic.h>

/* Zero it to begin. */
typedef struct spate_way {
    atomic_uint linking; /* calls of spate_link in progress */
} spate_way;

void spate_way_take(spate_way *way);
void spate_way_leave(spate_way *way);
/* Called by extraction between two files; costs nothing while nothing links. */
void spate_way_give(spate_way *way);

#endif
