/* pubeval.h - Tesauro's public-service linear player for backgammon (15 checkers). */
#ifndef ND_PUBEVAL_H
#define ND_PUBEVAL_H

#include <stdbool.h>

#include "position.h"

enum { ND_PUBEVAL_INPUTS = 122 };

/* The score of a play that bears off the last checker. */
#define ND_PUBEVAL_FINISHED 1e30

/* The 122 inputs for a board after the play, mover in row 0. */
void nd_pubeval_inputs(const nd_board *after, double inputs[ND_PUBEVAL_INPUTS]);

/* How good the board after a play is for the mover in row 0; higher is better. `race` weights are used
 * when the board BEFORE the play had no contact: the caller judges that once a roll, so that all plays
 * of a roll are compared by the same weights. */
double nd_pubeval_score(const float *contact, const float *race, bool is_race, const nd_board *after);

#endif
