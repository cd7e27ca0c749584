#include "evaluate.h"

#include <stdlib.h>
#include <string.h>

static void *aligned_room(size_t bytes)
{
    bytes = (bytes + ND_ALIGN - 1) / ND_ALIGN * ND_ALIGN;
#if defined(_MSC_VER)
    void *memory = _aligned_malloc(bytes, ND_ALIGN);
#else
    void *memory = aligned_alloc(ND_ALIGN, bytes);
#endif
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static void aligned_drop(void *memory)
{
#if defined(_MSC_VER)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

bool nd_judge_create(nd_judge *judge, const nd_model *model)
{
    memset(judge, 0, sizeof *judge);
    judge->model = model;
    judge->room = 256;
    const size_t block = (size_t)ND_BLOCK * (size_t)model->width * sizeof(float);
    judge->equities = malloc(judge->room * sizeof(float));
    judge->outcomes = malloc(judge->room * ND_MAX_OUTCOMES * sizeof(float));
    judge->spare = aligned_room(block);
    judge->logits = aligned_room(ND_BLOCK * ND_LANES * sizeof(float));
    judge->place_memory = malloc(ND_NET_COUNT * ND_BLOCK * sizeof(size_t));
    judge->mask_memory = malloc(ND_NET_COUNT * ND_BLOCK * sizeof(uint32_t));
    bool fine = judge->equities && judge->outcomes && judge->spare && judge->logits &&
                judge->place_memory && judge->mask_memory;
    for (int i = 0; fine && i < ND_NET_COUNT; i++) {
        judge->places[i] = judge->place_memory + i * ND_BLOCK;
        judge->masks[i] = judge->mask_memory + i * ND_BLOCK;
        judge->parents[i].sums = aligned_room((size_t)model->width * sizeof(int32_t));
        judge->waiting[i] = aligned_room(block);
        fine = judge->parents[i].sums && judge->waiting[i];
    }
    if (!fine) nd_judge_destroy(judge);
    return fine;
}

void nd_judge_destroy(nd_judge *judge)
{
    for (int i = 0; i < ND_NET_COUNT; i++) {
        aligned_drop(judge->parents[i].sums);
        aligned_drop(judge->waiting[i]);
    }
    aligned_drop(judge->spare);
    aligned_drop(judge->logits);
    free(judge->equities);
    free(judge->outcomes);
    free(judge->units);
    free(judge->known);
    free(judge->place_memory);
    free(judge->mask_memory);
    memset(judge, 0, sizeof *judge);
}

void nd_outcomes_turned(const nd_rules *rules, const float *outcomes, float *out)
{
    for (int k = 0; k < rules->outcomes; k++) out[nd_outcome_turned(rules, k)] = outcomes[k];
}

/* Where the judged boards of one call go, and whether each is turned for the mover. */
typedef struct target {
    float *outcomes, *equities;
    bool turned;
} target;

static void settle(const nd_judge *judge, const target *target, size_t place, const float *outcomes)
{
    const nd_rules *rules = &judge->model->rules;
    float *out = target->outcomes + place * rules->outcomes;
    if (target->turned) nd_outcomes_turned(rules, outcomes, out);
    else memcpy(out, outcomes, rules->outcomes * sizeof *out);
    const float equity = nd_equity(rules, outcomes);
    target->equities[place] = target->turned ? -equity : equity;
}

static void settle_finished(const nd_judge *judge, const target *target, size_t place, int outcome)
{
    float outcomes[ND_MAX_OUTCOMES] = {0};
    outcomes[outcome] = 1;
    settle(judge, target, place, outcomes);
}

/* Judges a board without a net: by rule, or by the bear-off tables. false: only a net can. */
static bool settle_known(const nd_judge *judge, const target *target, size_t place, const nd_packed *board, int seat)
{
    const nd_model *model = judge->model;
    const int result = nd_result_packed(&model->rules, board, seat);
    float outcomes[ND_MAX_OUTCOMES];
    if (result >= 0) {
        settle_finished(judge, target, place, result);
        return true;
    }
    if (!model->bearoff || !nd_bearoff_outcomes(model->bearoff, &model->rules, board, seat, outcomes)) return false;
    settle(judge, target, place, outcomes);
    return true;
}

/* What the scout's first layer says of the boards that wait for it. */
static void keep_units(nd_judge *judge)
{
    const size_t width = (size_t)judge->unit_count;
    for (int i = 0; i < judge->pending[ND_SCOUT]; i++) {
        const size_t place = judge->places[ND_SCOUT][i];
        judge->known[place] = 0;
        memcpy(judge->units + place * width, judge->waiting[ND_SCOUT] + (size_t)i * width, width * sizeof *judge->units);
    }
}

static void flush(nd_judge *judge, int class, const target *target)
{
    const nd_model *model = judge->model;
    const nd_net *net = model->nets[class];
    if (judge->pending[class] == 0) return;
    if (class == ND_SCOUT) keep_units(judge);
    nd_net_finish(net, model->kernels, judge->pending[class], judge->waiting[class], judge->spare, judge->logits);
    float outcomes[ND_BLOCK * ND_MAX_OUTCOMES];
    nd_softmax(model, judge->logits, judge->masks[class], judge->pending[class], outcomes);
    for (int i = 0; i < judge->pending[class]; i++)
        settle(judge, target, judge->places[class][i], outcomes + i * ND_MAX_OUTCOMES);
    if (class != ND_SCOUT) judge->evaluations += (uint64_t)judge->pending[class];
    judge->pending[class] = 0;
}

static int net_class(const nd_model *model, const nd_packed *board)
{
    return model->nets[ND_RACE] && nd_classify(&model->rules, board) == ND_RACE ? ND_RACE : ND_CONTACT;
}

/* Queues a board whose first layer is a step from its parent's. */
static void queue(nd_judge *judge, int class, const nd_packed *board, size_t place, const target *target)
{
    const nd_net *net = judge->model->nets[class];
    const int at = judge->pending[class]++;
    nd_net_step(net, judge->model->kernels, &judge->parents[class], board,
                judge->waiting[class] + (size_t)at * (size_t)nd_net_first_width(net));
    judge->places[class][at] = place;
    judge->masks[class][at] = nd_impossible(&judge->model->rules, board);
    if (judge->pending[class] == ND_BLOCK) flush(judge, class, target);
}

void nd_judge_boards(nd_judge *judge, const nd_board *boards, const uint8_t *seats, size_t count, bool by_rule,
                     float *out_outcomes, float *out_equities)
{
    const nd_model *model = judge->model;
    const target target = {out_outcomes, out_equities, false};
    for (size_t i = 0; i < count; i++) {
        const nd_packed board = nd_pack(&boards[i]);
        if (by_rule && settle_known(judge, &target, i, &board, seats[i])) continue;
        const int class = net_class(model, &board);
        nd_net_first(model->nets[class], model->kernels, &board, seats[i], &judge->parents[class]);
        queue(judge, class, &board, i, &target);
    }
    for (int class = 0; class < ND_NET_COUNT; class++) flush(judge, class, &target);
}

static bool make_room(nd_judge *judge, size_t count)
{
    if (count <= judge->room) return true;
    float *equities = realloc(judge->equities, 2 * count * sizeof *equities);
    if (equities) judge->equities = equities;
    float *outcomes = realloc(judge->outcomes, 2 * count * ND_MAX_OUTCOMES * sizeof *outcomes);
    if (outcomes) judge->outcomes = outcomes;
    if (!equities || !outcomes) return false;
    judge->room = 2 * count;
    return true;
}

/* Room for what the scout's first layer says of so many results, all of them known as yet. */
static bool units_room(nd_judge *judge, size_t count)
{
    judge->unit_count = nd_net_first_width(judge->model->nets[ND_SCOUT]);
    const size_t width = (size_t)judge->unit_count;
    if (count > judge->unit_room) {
        float *units = realloc(judge->units, 2 * count * width * sizeof *units);
        if (units) judge->units = units;
        uint8_t *known = realloc(judge->known, 2 * count);
        if (known) judge->known = known;
        if (!units || !known) return false;
        judge->unit_room = 2 * count;
    }
    memset(judge->units, 0, count * width * sizeof *judge->units);
    memset(judge->known, 1, count);
    return true;
}

static bool judge_plays(nd_judge *judge, const nd_packed *board, int seat, const nd_plays *plays, bool scouted)
{
    const nd_model *model = judge->model;
    if (!make_room(judge, plays->count) || (scouted && !units_room(judge, plays->count))) return false;
    const target target = {judge->outcomes, judge->equities, true};
    const nd_packed parent = nd_packed_turned(board);
    const int next_seat = 1 - seat;
    bool ready[ND_NET_COUNT] = {false};
    for (size_t i = 0; i < plays->count; i++) {
        const nd_packed next = nd_packed_turned(&plays->results[i]);
        if (settle_known(judge, &target, i, &next, next_seat)) continue;
        const int class = scouted ? ND_SCOUT : net_class(model, &next);
        if (!ready[class]) nd_net_first(model->nets[class], model->kernels, &parent, next_seat, &judge->parents[class]);
        ready[class] = true;
        queue(judge, class, &next, i, &target);
    }
    for (int class = 0; class < ND_NET_COUNT; class++) flush(judge, class, &target);
    return true;
}

bool nd_judge_plays(nd_judge *judge, const nd_packed *board, int seat, const nd_plays *plays)
{
    return judge_plays(judge, board, seat, plays, false);
}

bool nd_judge_plays_scouted(nd_judge *judge, const nd_packed *board, int seat, const nd_plays *plays)
{
    return judge_plays(judge, board, seat, plays, true);
}

bool nd_result_before(const nd_plays *plays, size_t a, size_t b)
{
    nd_board first, second;
    nd_unpack(&plays->results[a], &first);
    nd_unpack(&plays->results[b], &second);
    return memcmp(&first, &second, sizeof first) < 0;
}

size_t nd_judge_best(const nd_judge *judge, const nd_plays *plays)
{
    size_t best = 0;
    for (size_t i = 1; i < plays->count; i++) {
        if (judge->equities[i] < judge->equities[best]) continue;
        if (judge->equities[i] > judge->equities[best] || nd_result_before(plays, i, best)) best = i;
    }
    return best;
}
