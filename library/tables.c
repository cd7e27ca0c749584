/* tables.c - bear-off tables in memory. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

void nardy_tables_destroy(nardy_tables *tables)
{
    if (!tables) return;
    for (int i = 0; i < 3; i++) free(tables->memory[i]);
    free(tables);
}

static bool build(const nd_rules *rules, nardy_tables *tables)
{
    const size_t single = (size_t)ND_BEAROFF_POSITIONS * ND_BEAROFF_ROLLS;
    const nd_bearoff_kind kind = nd_bearoff_kind_of(rules);
    const size_t pairs = (size_t)nd_pair_seats(&kind) * ND_PAIR_POSITIONS * ND_PAIR_POSITIONS * (size_t)nd_pair_width(&kind);
    double *means = calloc((size_t)ND_BEAROFF_POSITIONS * 2, sizeof *means);
    tables->memory[0] = calloc(single, sizeof(float));
    tables->memory[1] = calloc(single, sizeof(float));
    tables->memory[2] = calloc(pairs, sizeof(float));
    bool fine = means && tables->memory[0] && tables->memory[1] && tables->memory[2] &&
                nd_bearoff_build(rules, 0, ND_BEAROFF_POSITIONS, tables->memory[0], tables->memory[1], means) &&
                nd_bearoff_build_pairs(rules, tables->memory[2]);
    free(means);
    tables->bearoff.kind = kind;
    tables->bearoff.finish = tables->memory[0];
    tables->bearoff.first = tables->memory[1];
    tables->bearoff.pairs = tables->memory[2];
    return fine;
}

nardy_status nardy_tables_create(const nardy_rules *rules, nardy_tables **out, nardy_message *message)
{
    if (!out) return nardy_fail_null(message, "tables");
    *out = NULL;
    if (!rules) return nardy_fail_null(message, "rules");
    nardy_tables *tables = calloc(1, sizeof *tables);
    if (!tables || !build(&rules->rules, tables)) {
        nardy_tables_destroy(tables);
        return nardy_fail_memory(message);
    }
    *out = tables;
    return NARDY_OK;
}

nardy_status nardy_model_use_tables(nardy_model *model, const nardy_tables *tables, nardy_message *message)
{
    if (!model) return nardy_fail_null(message, "model");
    if (tables) {
        const nd_bearoff_kind kind = nd_bearoff_kind_of(&model->model->rules);
        if (!nd_bearoff_kind_equal(&kind, &tables->bearoff.kind))
            return nardy_fail(message, NARDY_BAD_INPUT, "the bear-off tables are those of other rules than the model's");
    }
    model->model->bearoff = tables ? &tables->bearoff : NULL;
    return NARDY_OK;
}
