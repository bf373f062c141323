/* Replaces the program with Ruby, for all commands that it does not handle itself. */
#ifndef SPATE_FRONT_HAND_OVER_H
#define SPATE_FRONT_HAND_OVER_H

/*
 * Executes Ruby's launcher with the same arguments. It inherits descriptors, working directory and signal settings.
 * Returns only on failure: prints a message and returns the exit status.
 */
int spate_hand_over(const char *launcher, char *const *argv, char *const *environment);

#endif
