/* Replaces the program by Ruby: for all that it does not answer itself, and where it has any doubt. */
#ifndef SPATE_FRONT_HAND_OVER_H
#define SPATE_FRONT_HAND_OVER_H

/*
 * Runs Ruby's launcher with the same words. Descriptors, working directory and signals are inherited. Returns only if
 * that fails: the exit status, after a message.
 */
int spate_hand_over(const char *launcher, char *const *argv, char *const *environment);

#endif
