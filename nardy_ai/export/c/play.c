/* play.c - the bot plays a game against itself.
 *
 *     play [SEED [PLIES]]          in the folder with rules.txt and model.nardynet
 */
#include <stdio.h>
#include <stdlib.h>

#include "nardy.h"

static void print_play(const nardy_play *play)
{
    if (play->movements == 0) printf(" pass");
    for (int i = 0; i < play->movements; i++) {
        const int from = play->movement[i].from, to = play->movement[i].to;
        if (from == 25) printf(" bar/");
        else printf(" %d/", from);
        if (to == 0) printf("off");
        else printf("%d", to);
    }
}

static nardy_status play_game(nardy_search *search, const nardy_rules *rules, uint64_t seed, int plies, nardy_message *message)
{
    nardy_position position;
    int outcome = -1;
    nardy_status status = nardy_start(rules, &position, message);
    for (uint32_t turn = 0; status == NARDY_OK && outcome < 0; turn++) {
        int dice[2];
        nardy_play play;
        status = nardy_dice(rules, seed, 0, turn, dice, message);
        if (status == NARDY_OK) status = nardy_choose(search, &position, dice[0], dice[1], plies, &play, message);
        if (status != NARDY_OK) break;
        printf("%3u  %s  %d-%d:", (unsigned)turn + 1, position.seat ? "second " : "starter", dice[0], dice[1]);
        print_play(&play);
        printf("  %+.3f\n", (double)play.value.equity);
        status = nardy_next(rules, &position, &play.board, &position, message);
        if (status == NARDY_OK) status = nardy_result(rules, &position, &outcome, message);
    }
    if (status == NARDY_OK)
        printf("for the %s: %s, %+g points\n", position.seat ? "second" : "starter", nardy_outcome_name(rules, outcome),
               (double)nardy_outcome_points(rules, outcome));
    return status;
}

/* The profile that the bot was exported for: options as nardy_rules_create reads them. */
static nardy_status read_rules(nardy_rules **rules, nardy_message *message)
{
    char options[4096] = "";
    FILE *file = fopen("rules.txt", "rb");
    *rules = NULL;
    if (!file) {
        snprintf(message->text, sizeof message->text, "rules.txt cannot be opened; run this in the exported folder");
        return NARDY_NO_FILE;
    }
    options[fread(options, 1, sizeof options - 1, file)] = '\0';
    fclose(file);
    return nardy_rules_create(options, rules, message);
}

int main(int count, char **words)
{
    nardy_message message;
    nardy_rules *rules;
    nardy_model *model = NULL;
    nardy_search *search = NULL;
    nardy_status status = read_rules(&rules, &message);
    if (status == NARDY_OK) status = nardy_model_load("model.nardynet", rules, NULL, &model, &message);
    if (status == NARDY_OK) status = nardy_search_create(model, NARDY_FILTERS_DEFAULT, (uint64_t)1 << 20, &search, &message);
    if (status == NARDY_OK)
        status = play_game(search, rules, count > 1 ? strtoull(words[1], NULL, 10) : 1, count > 2 ? atoi(words[2]) : 0, &message);
    if (status != NARDY_OK) fprintf(stderr, "play: %s\n", message.text);
    nardy_search_destroy(search);
    nardy_model_destroy(model);
    nardy_rules_destroy(rules);
    return status != NARDY_OK;
}
