/*
 * Gives linking priority: it is short and a user waits for it, while extraction takes minutes. While a link job runs,
 * extraction rests for up to twice the time that it worked, so that linking gets most of the processors.
 */
#ifndef SPATE_WAY_H
#define SPATE_WAY_H

#include <stdatomic.h>

/* Initialize with zeros. */
typedef struct spate_way {
    atomic_uint linking; /* calls of spate_link in progress */
} spate_way;

void spate_way_take(spate_way *way);
void spate_way_leave(spate_way *way);
/* Called by extraction between two files; costs nothing while no link job runs. */
void spate_way_give(spate_way *way);

#endif
