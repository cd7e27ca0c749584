/* layout.c - where engine.js finds the members of nardy.h's structures. It is compiled with the library to
 * WebAssembly and holds nothing: a structure that moved stops the build, and not a page. */
#include <stddef.h>

#include "nardy.h"

#define STANDS(condition) _Static_assert(condition, "engine.js reads this structure differently")
STANDS(sizeof(void *) == 4 && sizeof(size_t) == 4);
STANDS(sizeof(nardy_message) == 256);
STANDS(sizeof(nardy_position) == 54);
STANDS(offsetof(nardy_position, seat) == 52);
STANDS(offsetof(nardy_position, turns) == 53);
STANDS(sizeof(nardy_value) == 40);
STANDS(offsetof(nardy_value, equity) == 36);
STANDS(sizeof(nardy_play) == 144);
STANDS(offsetof(nardy_play, movements) == 52);
STANDS(offsetof(nardy_play, plies) == 53);
STANDS(offsetof(nardy_play, movement) == 54);
STANDS(sizeof(nardy_movement) == 2 && offsetof(nardy_movement, to) == 1);
STANDS(offsetof(nardy_play, value) == 104);
STANDS(sizeof(nardy_level) == 16 && sizeof(double) == 8);
STANDS(offsetof(nardy_level, plies) == 8);
