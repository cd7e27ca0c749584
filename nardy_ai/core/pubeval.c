#include "pubeval.h"

#include <string.h>

void nd_pubeval_inputs(const nd_board *after, double inputs[ND_PUBEVAL_INPUTS])
{
    memset(inputs, 0, ND_PUBEVAL_INPUTS * sizeof *inputs);
    for (int k = 0; k < ND_POINTS; k++) {
        int column = ND_POINTS - 1 - k; /* k = 0 is the mover's 24 point, the opponent's 1 point */
        int n = after->row[0][column];
        double *x = inputs + 5 * k;
        if (n == 0) {
            if (after->row[1][k] == 1) x[0] = 1.0;
            continue;
        }
        if (n == 1) x[1] = 1.0;
        if (n >= 2) x[2] = 1.0;
        if (n == 3) x[3] = 1.0;
        if (n >= 4) x[4] = (n - 3) / 2.0;
    }
    inputs[120] = after->row[1][ND_BAR] / 2.0;
    inputs[121] = after->row[0][ND_OFF] / 15.0;
}

double nd_pubeval_score(const float *contact, const float *race, bool is_race, const nd_board *after)
{
    if (after->row[0][ND_OFF] == ND_MAX_CHECKERS) return ND_PUBEVAL_FINISHED;
    double inputs[ND_PUBEVAL_INPUTS];
    nd_pubeval_inputs(after, inputs);
    const float *weights = is_race ? race : contact;
    double score = 0.0;
    for (int i = 0; i < ND_PUBEVAL_INPUTS; i++) score += weights[i] * inputs[i];
    return score;
}
