/* check.c - does this library answer as the package that exported it?
 *
 *     check [FOLDER [KERNELS]]
 *
 * Reads vectors.txt, rules.txt and model.nardynet of FOLDER (by default the present one) and compares outcomes,
 * equities, every legal play of stored rolls and the best plays with what stands there. KERNELS are "plain", "avx2" or
 * "avx512"; by default the fastest. Exit code 0: all of it agrees; 1: something does not; 2: it cannot be read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nardy.h"

enum { FORMAT = 1, MOST_TEXT = 4096 };

typedef struct check {
    nardy_search *search;
    const nardy_rules *rules;
    int outcomes;
    double tolerance, equal_worth;
    double largest;                     /* difference of an outcome or equity */
    int boards, same_bits, rolls, best; /* compared */
    int equal, faults;                  /* best plays of equal worth, answers that differ */
} check;

static int stop(const char *what)
{
    fprintf(stderr, "check: %s\n", what);
    exit(2);
}

static void need(nardy_status status, const nardy_message *message)
{
    if (status != NARDY_OK) stop(message->text);
}

static void differs(check *check, int line, const char *what)
{
    if (check->faults++ == 0) fprintf(stderr, "check: line %d of vectors.txt: %s\n", line, what);
}

static FILE *opened(const char *folder, const char *name, char *path)
{
    if (snprintf(path, FILENAME_MAX, "%s/%s", folder, name) >= FILENAME_MAX) stop("the folder's name is too long");
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "check: %s cannot be opened\n", path);
        exit(2);
    }
    return file;
}

/* CRC-32 of zlib, of all plays' boards one after the other. */
static uint32_t crc32_of(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* ---- reading vectors.txt ------------------------------------------------------------------------ */

static void read_word(FILE *file, char *word)
{
    if (fscanf(file, "%63s", word) != 1) stop("vectors.txt ends too early");
}

static long read_whole(FILE *file)
{
    char word[64];
    read_word(file, word);
    return strtol(word, NULL, 10);
}

static float read_number(FILE *file)
{
    char word[64];
    read_word(file, word);
    return strtof(word, NULL);
}

/* A board is 52 hexadecimal digits: 26 counts of row 0, then of row 1. */
static void read_board(FILE *file, nardy_board *board)
{
    static const char DIGITS[] = "0123456789abcdef";
    char word[64];
    read_word(file, word);
    if (strlen(word) != 2 * NARDY_COLUMNS) stop("a board of vectors.txt is damaged");
    for (int i = 0; i < 2 * NARDY_COLUMNS; i++) {
        const char *digit = strchr(DIGITS, word[i]);
        if (!digit) stop("a board of vectors.txt is damaged");
        board->row[i / NARDY_COLUMNS][i % NARDY_COLUMNS] = (int8_t)(digit - DIGITS);
    }
}

static void read_position(FILE *file, nardy_position *position)
{
    memset(position, 0, sizeof *position);
    read_board(file, &position->board);
    position->seat = (uint8_t)read_whole(file);
    position->turns = (uint8_t)read_whole(file);
}

/* ---- comparing ---------------------------------------------------------------------------------- */

/* Notes how far two numbers are apart; the other way round a number that is none would pass. */
static void compare(float ours, float theirs, double *largest)
{
    const double difference = fabs((double)ours - (double)theirs);
    if (!(difference <= *largest)) *largest = difference;
}

static void check_value(check *check, FILE *file, int line)
{
    nardy_position position;
    nardy_value value;
    nardy_message message;
    double largest = 0;
    read_position(file, &position);
    need(nardy_evaluate(check->search, &position, 1, (int)read_whole(file), &value, &message), &message);
    for (int i = 0; i < check->outcomes; i++) compare(value.outcomes[i], read_number(file), &largest);
    compare(value.equity, read_number(file), &largest);
    check->boards++;
    check->same_bits += largest == 0;
    if (!(largest <= check->largest)) check->largest = largest;
    if (!(largest <= check->tolerance)) differs(check, line, "outcomes or equity differ");
}

static void check_roll(check *check, FILE *file, int line)
{
    nardy_position position;
    nardy_message message;
    nardy_play *plays;
    size_t count;
    uint32_t crc = 0;
    read_position(file, &position);
    const int die1 = (int)read_whole(file), die2 = (int)read_whole(file);
    const size_t expected = (size_t)read_whole(file);
    char word[64];
    read_word(file, word);
    need(nardy_list_plays(check->rules, &position, die1, die2, &plays, &count, &message), &message);
    for (size_t i = 0; i < count; i++) crc = crc32_of(crc, &plays[i].board, sizeof plays[i].board);
    nardy_free(plays);
    check->rolls++;
    if (count != expected || crc != strtoul(word, NULL, 16)) differs(check, line, "other plays are legal");
}

static void check_best(check *check, FILE *file, int line)
{
    nardy_position position;
    nardy_board expected;
    nardy_message message;
    nardy_play *plays;
    size_t count, at = 0;
    read_position(file, &position);
    const int die1 = (int)read_whole(file), die2 = (int)read_whole(file), plies = (int)read_whole(file);
    read_board(file, &expected);
    const float equity = read_number(file);
    need(nardy_rank(check->search, &position, die1, die2, plies, &plays, &count, &message), &message);
    while (at < count && memcmp(&plays[at].board, &expected, sizeof expected) != 0) at++;
    check->best++;
    if (at > 0 && at < count) check->equal++;
    if (at == count || !(fabs((double)plays[at].value.equity - (double)plays[0].value.equity) < check->equal_worth))
        differs(check, line, "another play is the best");
    else if (!(fabs((double)plays[at].value.equity - (double)equity) <= check->tolerance))
        differs(check, line, "the best play is worth something else");
    nardy_free(plays);
}

static void check_all(check *check, FILE *file)
{
    char word[64];
    int line = 3;
    read_word(file, word);
    if (strcmp(word, "nardy-vectors") != 0 || read_whole(file) != FORMAT) stop("vectors.txt has another format");
    read_word(file, word);
    check->tolerance = read_number(file);
    read_word(file, word);
    check->equal_worth = read_number(file);
    for (read_word(file, word); strcmp(word, "end") != 0; read_word(file, word)) {
        line++;
        if (strcmp(word, "value") == 0) check_value(check, file, line);
        else if (strcmp(word, "roll") == 0) check_roll(check, file, line);
        else if (strcmp(word, "best") == 0) check_best(check, file, line);
        else stop("vectors.txt is damaged");
    }
}

int main(int count, char **words)
{
    static char path[FILENAME_MAX];
    const char *folder = count > 1 ? words[1] : ".";
    char options[MOST_TEXT];
    nardy_message message;
    nardy_rules *rules;
    nardy_model *model;
    check check = {0};
    FILE *file = opened(folder, "rules.txt", path);
    options[fread(options, 1, sizeof options - 1, file)] = '\0';
    fclose(file);
    need(nardy_rules_create(options, &rules, &message), &message);
    fclose(opened(folder, "model.nardynet", path));
    need(nardy_model_load(path, rules, count > 2 ? words[2] : NULL, &model, &message), &message);
    need(nardy_search_create(model, NARDY_FILTERS_DEFAULT, (uint64_t)1 << 20, &check.search, &message), &message);
    check.rules = nardy_model_rules(model);
    check.outcomes = nardy_outcome_count(check.rules);
    file = opened(folder, "vectors.txt", path);
    check_all(&check, file);
    fclose(file);
    printf("%s kernels: %d boards, largest difference %.1e, the same bits on %d; %d rolls; %d best plays, %d of them by "
           "another play of equal worth; %d differ\n",
           nardy_model_kernels(model), check.boards, check.largest, check.same_bits, check.rolls, check.best, check.equal,
           check.faults);
    nardy_search_destroy(check.search);
    nardy_model_destroy(model);
    nardy_rules_destroy(rules);
    return check.faults > 0;
}
