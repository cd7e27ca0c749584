#include "expectation.h"

#include <stdlib.h>
#include <string.h>

nd_roll nd_roll_at(int roll)
{
    nd_roll found = {1, 1, 1};
    while (roll >= found.high) roll -= found.high++;
    found.low = roll + 1;
    found.weight = found.low == found.high ? 1 : 2;
    return found;
}

int nd_roll_of(int die1, int die2)
{
    const int high = die1 > die2 ? die1 : die2, low = die1 > die2 ? die2 : die1;
    return high * (high - 1) / 2 + low - 1;
}

void nd_mean_add(nd_mean *mean, const nd_rules *rules, int weight, const float *outcomes)
{
    for (int k = 0; k < rules->outcomes; k++) mean->sums[k] += (double)weight * (double)outcomes[k];
    mean->weight += weight;
}

void nd_mean_take(const nd_mean *mean, const nd_rules *rules, float *outcomes)
{
    for (int k = 0; k < rules->outcomes; k++) outcomes[k] = (float)(mean->sums[k] / mean->weight);
}

/* ---- workspace ---------------------------------------------------------------------------------- */

bool nd_expectation_create(nd_expectation *expectation, const nd_model *model)
{
    memset(expectation, 0, sizeof *expectation);
    expectation->results_room = 1024;
    expectation->places_room = 1024;
    expectation->slot_mask = 2047;
    expectation->results.results = malloc(expectation->results_room * sizeof *expectation->results.results);
    expectation->places = malloc(expectation->places_room * sizeof *expectation->places);
    expectation->slots = malloc((expectation->slot_mask + 1) * sizeof *expectation->slots);
    if (expectation->results.results && expectation->places && expectation->slots && nd_plays_create(&expectation->plays)) {
        if (nd_judge_create(&expectation->judge, model)) return true;
        nd_plays_destroy(&expectation->plays);
    }
    free(expectation->results.results);
    free(expectation->places);
    free(expectation->slots);
    memset(expectation, 0, sizeof *expectation);
    return false;
}

void nd_expectation_destroy(nd_expectation *expectation)
{
    nd_judge_destroy(&expectation->judge);
    nd_plays_destroy(&expectation->plays);
    free(expectation->results.results);
    free(expectation->places);
    free(expectation->slots);
    nd_pruner_destroy(&expectation->pruner);
    memset(expectation, 0, sizeof *expectation);
}

static bool grow(void **memory, size_t bytes)
{
    void *larger = realloc(*memory, bytes);
    if (larger) *memory = larger;
    return larger != NULL;
}

static size_t slot_of(const nd_expectation *expectation, const nd_packed *board)
{
    const nd_row *mine = &board->row[0], *his = &board->row[1];
    uint64_t h = mine->low * 0x9E3779B97F4A7C15u ^ mine->high * 0xC2B2AE3D27D4EB4Fu;
    h ^= (his->low ^ his->high << 17) * 0x165667B19E3779F9u;
    return (size_t)(h ^ h >> 29 ^ h >> 47) & expectation->slot_mask;
}

static const uint32_t EMPTY = UINT32_MAX;

static void clear_slots(nd_expectation *expectation)
{
    memset(expectation->slots, 0xff, (expectation->slot_mask + 1) * sizeof *expectation->slots);
}

/* Room for `more` results and places, with the slots at most half full. */
static bool make_room(nd_expectation *expectation, size_t more, size_t place_count)
{
    const size_t count = expectation->results.count;
    if (place_count + more > expectation->places_room) {
        const size_t room = 2 * (place_count + more);
        if (!grow((void **)&expectation->places, room * sizeof *expectation->places)) return false;
        expectation->places_room = room;
    }
    if (count + more > expectation->results_room) {
        const size_t room = 2 * (count + more);
        if (!grow((void **)&expectation->results.results, room * sizeof *expectation->results.results)) return false;
        expectation->results_room = room;
    }
    size_t slots = expectation->slot_mask + 1;
    while (2 * (count + more) > slots) slots *= 2;
    if (slots == expectation->slot_mask + 1) return true;
    if (!grow((void **)&expectation->slots, slots * sizeof *expectation->slots)) return false;
    expectation->slot_mask = slots - 1;
    clear_slots(expectation);
    for (size_t i = 0; i < count; i++) {
        size_t at = slot_of(expectation, &expectation->results.results[i]);
        while (expectation->slots[at] != EMPTY) at = (at + 1) & expectation->slot_mask;
        expectation->slots[at] = (uint32_t)i;
    }
    return true;
}

/* The place of a result, which is kept where it is new. */
static uint32_t place_of(nd_expectation *expectation, const nd_packed *result)
{
    size_t at = slot_of(expectation, result);
    while (expectation->slots[at] != EMPTY) {
        if (nd_packed_equal(&expectation->results.results[expectation->slots[at]], result)) return expectation->slots[at];
        at = (at + 1) & expectation->slot_mask;
    }
    expectation->slots[at] = (uint32_t)expectation->results.count;
    expectation->results.results[expectation->results.count] = *result;
    return (uint32_t)expectation->results.count++;
}

/* ---- the expectation ---------------------------------------------------------------------------- */

bool nd_expectation_fill(nd_expectation *expectation, const nd_packed *board, int seat, int turns)
{
    const nd_rules *rules = &expectation->judge.model->rules;
    nd_plays *plays = &expectation->plays;
    size_t place_count = 0;
    expectation->results.count = 0;
    clear_slots(expectation);
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const nd_roll dice = nd_roll_at(roll);
        if (!nd_plays_generate(plays, rules, board, seat, turns, dice.high, dice.low) ||
            !make_room(expectation, plays->count, place_count))
            return false;
        expectation->starts[roll] = place_count;
        for (size_t i = 0; i < plays->count; i++) expectation->places[place_count++] = place_of(expectation, &plays->results[i]);
    }
    expectation->starts[ND_ROLLS] = place_count;
    if (expectation->pruning.keep) {
        const nd_rolled rolled = {&expectation->results, expectation->places, expectation->starts, ND_ROLLS};
        return nd_pruner_judge(&expectation->pruner, &expectation->judge, board, seat, &rolled, expectation->pruning);
    }
    return nd_judge_plays(&expectation->judge, board, seat, &expectation->results);
}

size_t nd_expectation_best(const nd_expectation *expectation, int roll)
{
    const float *equities = expectation->judge.equities;
    size_t best = expectation->places[expectation->starts[roll]];
    for (size_t i = expectation->starts[roll] + 1; i < expectation->starts[roll + 1]; i++) {
        const size_t place = expectation->places[i];
        if (equities[place] < equities[best]) continue;
        if (equities[place] > equities[best] || nd_result_before(&expectation->results, place, best)) best = place;
    }
    return best;
}

bool nd_expectation_value(nd_expectation *expectation, const nd_packed *board, int seat, int turns, bool opening_pair,
                          float *outcomes)
{
    const nd_rules *rules = &expectation->judge.model->rules;
    nd_mean mean = {{0}, 0};
    if (!nd_expectation_fill(expectation, board, seat, turns)) return false;
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const nd_roll dice = nd_roll_at(roll);
        if (opening_pair && dice.high == dice.low) continue;
        nd_mean_add(&mean, rules, dice.weight, expectation->judge.outcomes + nd_expectation_best(expectation, roll) * rules->outcomes);
    }
    nd_mean_take(&mean, rules, outcomes);
    return true;
}
