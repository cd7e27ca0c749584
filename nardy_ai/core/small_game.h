/* small_game.h - every position of a game with up to three checkers a side, numbered, and where plays lead.
 *
 * A row is where the checkers of one side stand: their pips to go, greatest first, as a rank in the order of such
 * lists; 0 is all off. A movement lowers the number of the mover's row, and only a hit raises that of the other.
 *
 * What a roll can do from a row hangs on the other side only by what it has on the few points that the roll can
 * touch. So plays are generated once for each different sight and not for each position: 3 to 6 million times
 * in place of 180 to 225 million.
 */
#ifndef ND_SMALL_GAME_H
#define ND_SMALL_GAME_H

#include "expectation.h"
#include "plays.h"
#include "position.h"
#include "rules.h"

enum { ND_SMALL_CHECKERS = 3 };

/* The plays of one row. A list is a count, with ND_LIST_PASSED set where the turn is passed, and then so many
 * replies, those that hit last. */
typedef struct nd_replies {
    uint32_t touched[ND_ROLLS]; /* columns where the roll can land */
    uint32_t slots[ND_ROLLS];   /* where its slots begin */
    uint32_t masks[ND_ROLLS];   /* their number, less one */
    uint64_t *keys;             /* [slot]: the sight, plus one; 0: empty */
    uint32_t *places;           /* [slot]: of its list in `lists` */
    uint32_t *lists;
} nd_replies;

#define ND_LIST_PASSED 0x80000000u

typedef struct nd_small_game {
    nd_rules rules;
    int rows;
    int seats;    /* 2 where the rules use them */
    int start;    /* the row before the first roll */
    nd_row *packed;
    uint32_t *own;    /* the columns that a row occupies */
    uint32_t *closed; /* the columns of the other side where he may not land, */
    uint32_t *blots;  /* and where he hits */
    uint16_t *hit;    /* [rows][24]: the row without a checker of that column, which is on the bar */
    uint16_t *order;  /* place of the row's bytes among all rows */
    nd_replies *replies;
} nd_small_game;

/* NULL with *fault set: a clause, or "out of memory". */
nd_small_game *nd_small_game_create(const nd_rules *rules, const char **fault);
void nd_small_game_destroy(nd_small_game *game);

/* Fills the replies of the rows from `begin` to `end` that have none yet; several threads can fill different rows at
 * once. All must be filled before plays are asked for. false: out of memory. */
bool nd_small_game_fill(nd_small_game *game, int begin, int end);

int nd_small_row(const nd_small_game *game, const nd_row *row);

/* Whether two rows can stand on one board. */
static inline bool nd_small_apart(const nd_small_game *game, int mine, int his)
{
    return (game->own[mine] & (game->closed[his] | game->blots[his])) == 0;
}

nd_packed nd_small_board(const nd_small_game *game, int mine, int his);

/* The plays of a roll from an unfinished position with rows apart. */
const uint32_t *nd_small_plays(const nd_small_game *game, int mine, int his, int roll);

static inline int nd_reply_mine(uint32_t reply)
{
    return (int)(reply & 0xffff);
}

/* The other side's row after a reply: three fields of five bits name the columns that were hit, 31: none. */
static inline int nd_reply_his(const nd_small_game *game, uint32_t reply, int his)
{
    for (uint32_t hits = reply >> 16; (hits & 31) != 31; hits = hits >> 5 | 31 << 10)
        his = game->hit[his * ND_POINTS + (int)(hits & 31)];
    return his;
}

static inline bool nd_reply_hits(uint32_t reply)
{
    return (reply >> 16 & 31) != 31;
}

#endif
