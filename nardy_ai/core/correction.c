#include "correction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Against the square of a feature, which is 1 on average: a fit to as many results as there are units would follow
 * every chance of theirs. */
static const float DAMPING = 5.0f;
/* Of the strongest unit's sum of squares: what a unit must have to count. */
static const float LEAST_SHARE = 1e-4f;

void nd_correction_destroy(nd_correction *correction)
{
    free(correction->errors);
    free(correction->features);
    free(correction->places);
    free(correction->truths);
    memset(correction, 0, sizeof *correction);
}

static bool make_room(nd_correction *correction, size_t count)
{
    if (count <= correction->room) return true;
    const size_t room = 2 * count;
    nd_correction_destroy(correction);
    correction->errors = malloc(room * sizeof *correction->errors);
    correction->features = malloc(room * ND_MOST_UNITS * sizeof *correction->features);
    correction->places = malloc(room * sizeof *correction->places);
    correction->truths = malloc(room * sizeof *correction->truths);
    if (!correction->errors || !correction->features || !correction->places || !correction->truths) {
        nd_correction_destroy(correction);
        return false;
    }
    correction->room = room;
    return true;
}

/* Finds the mean and the deviation of each unit over the results. Units that do not differ among them, as many never
 * do in a position, tell nothing and are left out. */
static int find_active(const float *units, int width, size_t count, int used, float *means, float *factors, int *active)
{
    float squares[ND_MOST_UNITS] = {0};
    int found = 0;
    memset(means, 0, ND_MOST_UNITS * sizeof *means);
    for (size_t i = 0; i < count; i++)
        for (int unit = 0; unit < used; unit++) means[unit] += units[i * (size_t)width + (size_t)unit];
    for (int unit = 0; unit < used; unit++) means[unit] /= (float)count;
    for (size_t i = 0; i < count; i++)
        for (int unit = 0; unit < used; unit++) {
            const float away = units[i * (size_t)width + (size_t)unit] - means[unit];
            squares[unit] += away * away;
        }
    float most = 0;
    for (int unit = 0; unit < used; unit++) most = squares[unit] > most ? squares[unit] : most;
    for (int unit = 0; unit < used; unit++) {
        if (!(squares[unit] > LEAST_SHARE * most)) continue;
        factors[found] = 1.0f / sqrtf(squares[unit] / (float)count);
        active[found++] = unit;
    }
    return found;
}

bool nd_correction_begin(nd_correction *correction, const float *units, int width, size_t count)
{
    float means[ND_MOST_UNITS], factors[ND_MOST_UNITS];
    int active[ND_MOST_UNITS];
    if (!make_room(correction, count)) return false;
    const int found = find_active(units, width, count, width < ND_MOST_UNITS ? width : ND_MOST_UNITS, means, factors, active);
    correction->width = (found + ND_CORRECTION_LANES - 1) / ND_CORRECTION_LANES * ND_CORRECTION_LANES;
    correction->count = count;
    correction->learned = 0;
    memset(correction->sums, 0, sizeof correction->sums);
    for (size_t i = 0; i < count; i++) {
        float *own = correction->features + i * (size_t)correction->width;
        const float *given = units + i * (size_t)width;
        for (int k = 0; k < found; k++) own[k] = (given[active[k]] - means[active[k]]) * factors[k];
        for (int k = found; k < correction->width; k++) own[k] = 0;
    }
    return true;
}

void nd_correction_learn(nd_correction *correction, size_t place, float error)
{
    const int width = correction->width;
    float row[ND_CORRECTION_ROW] = {0};
    memcpy(row, correction->features + place * (size_t)width, (size_t)width * sizeof *row);
    row[width] = 1;
    row[width + 1] = error;
    for (int i = 0; i <= width; i++) {
        float *sums = correction->sums[i];
        const float factor = row[i];
        for (int from = i / ND_CORRECTION_LANES * ND_CORRECTION_LANES; from <= width; from += ND_CORRECTION_LANES)
            for (int j = 0; j < ND_CORRECTION_LANES; j++) sums[from + j] += factor * row[from + j];
    }
    correction->places[correction->learned] = (uint32_t)place;
    correction->truths[correction->learned++] = error;
}

/* The weight of each feature, and of 1: elimination without pivots, which the damping makes safe. */
static void solve(const nd_correction *correction, float weights[ND_CORRECTION_ROW])
{
    const int width = correction->width;
    float upper[ND_MOST_UNITS + 1][ND_CORRECTION_ROW];
    for (int i = 0; i <= width; i++) {
        memcpy(upper[i], correction->sums[i], sizeof upper[i]);
        if (i < width) upper[i][i] += DAMPING;
    }
    for (int k = 0; k < width; k++) {
        const float inverse = 1.0f / upper[k][k];
        for (int i = k + 1; i <= width; i++) {
            const float factor = upper[k][i] * inverse;
            for (int from = i / ND_CORRECTION_LANES * ND_CORRECTION_LANES; from <= width; from += ND_CORRECTION_LANES)
                for (int j = 0; j < ND_CORRECTION_LANES; j++) upper[i][from + j] -= factor * upper[k][from + j];
        }
    }
    for (int i = width; i >= 0; i--) {
        float rest = upper[i][width + 1];
        for (int j = i + 1; j <= width; j++) rest -= upper[i][j] * weights[j];
        weights[i] = rest / upper[i][i];
    }
}

void nd_correction_settle(nd_correction *correction)
{
    const int width = correction->width;
    float weights[ND_CORRECTION_ROW] = {0}, squares = 0;
    solve(correction, weights);
    for (size_t i = 0; i < correction->count; i++) {
        const float *own = correction->features + i * (size_t)width;
        float lanes[ND_CORRECTION_LANES] = {0}, sum = weights[width];
        for (int from = 0; from < width; from += ND_CORRECTION_LANES)
            for (int j = 0; j < ND_CORRECTION_LANES; j++) lanes[j] += weights[from + j] * own[from + j];
        for (int j = 0; j < ND_CORRECTION_LANES; j++) sum += lanes[j];
        correction->errors[i] = sum;
    }
    for (size_t i = 0; i < correction->learned; i++) {
        const float missed = correction->truths[i] - correction->errors[correction->places[i]];
        squares += missed * missed;
    }
    correction->spread = sqrtf(squares / (float)correction->learned);
}
