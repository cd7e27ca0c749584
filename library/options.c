/* options.c - rule profiles from text and back, and what they say about outcomes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { MAX_WORD = 64 };

/* ---- failing ------------------------------------------------------------------------------------ */

/* The bytes of the UTF-8 character at `text`, 0 where there is none to be shown. */
static int character_at(const unsigned char *text)
{
    if (*text < 0x80) return *text >= 0x20 && *text != 0x7f;
    const int size = *text >= 0xf0 && *text < 0xf5 ? 4 : *text >= 0xe0 && *text < 0xf0 ? 3 : *text >= 0xc2 && *text < 0xe0 ? 2 : 0;
    for (int i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80) return 0; /* a NUL is one too, so nothing past the end is read */
    const unsigned next = size > 2 ? text[1] : 0xa0;
    const bool overlong = (*text == 0xe0 && next < 0xa0) || (*text == 0xf0 && next < 0x90);
    const bool beyond = (*text == 0xed && next >= 0xa0) || (*text == 0xf4 && next >= 0x90);
    return overlong || beyond ? 0 : size;
}

/* What a message quotes can be any bytes, and can be cut in the middle of a letter. */
static void make_readable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        const int size = character_at(at);
        if (size == 0) *at = '?';
        at += size ? size : 1;
    }
}

nardy_status nardy_fail(nardy_message *message, nardy_status status, const char *format, ...)
{
    if (message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
        make_readable(message->text);
    }
    return status;
}

nardy_status nardy_fail_memory(nardy_message *message)
{
    return nardy_fail(message, NARDY_NO_MEMORY, "out of memory");
}

nardy_status nardy_fail_null(nardy_message *message, const char *name)
{
    return nardy_fail(message, NARDY_BAD_INPUT, "%s is NULL, but it is needed", name);
}

int nardy_version(void)
{
    return NARDY_VERSION_NUMBER;
}

const char *nardy_version_text(void)
{
    return NARDY_VERSION;
}

void nardy_free(void *memory)
{
    free(memory);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the text from begin to end without blanks around it; false: it does not fit. */
static bool copy_word(const char *begin, const char *end, char *word, size_t room)
{
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && is_blank(end[-1])) end--;
    const size_t size = (size_t)(end - begin);
    if (size >= room) return false;
    memcpy(word, begin, size);
    word[size] = '\0';
    return true;
}

/* A whole number of plain digits, at most `most`; -1 otherwise. */
static long read_count(const char *text, long most)
{
    long value = 0;
    if (!*text) return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return -1;
        value = value * 10 + (*text - '0');
        if (value > most) return -1;
    }
    return value;
}

/* Points as digits with perhaps a fraction, read without the locale's comma; negative: no such number. */
static float read_points(const char *text)
{
    double value = 0, place = 1;
    int digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 9; text++, digits++) value = value * 10 + (*text - '0');
    if (*text == '.' && digits > 0)
        for (text++; *text >= '0' && *text <= '9' && digits < 18; text++, digits++) value += (*text - '0') * (place /= 10);
    return digits == 0 || *text ? -1.0f : (float)value;
}

static nardy_status bad_value(const char *name, const char *value, const char *wanted, nardy_message *message)
{
    return nardy_fail(message, NARDY_BAD_INPUT, "rule option %s cannot be '%.40s': %s", name, value, wanted);
}

/* Takes the next "left:right" off a list of them. 1: there was one, 0: the end, -1: neither. */
static int next_pair(const char **list, char left[MAX_WORD], char right[MAX_WORD])
{
    const char *at = *list;
    while (is_blank(*at)) at++;
    if (!*at) return 0;
    const char *end = at;
    while (*end && !is_blank(*end)) end++;
    const char *colon = memchr(at, ':', (size_t)(end - at));
    *list = end;
    return colon && copy_word(at, colon, left, MAX_WORD) && copy_word(colon + 1, end, right, MAX_WORD) ? 1 : -1;
}

static nardy_status read_start(const char *value, nd_rules *rules, nardy_message *message)
{
    char left[MAX_WORD], right[MAX_WORD];
    int found;
    memset(rules->start, 0, sizeof rules->start);
    while ((found = next_pair(&value, left, right)) != 0) {
        const long point = found > 0 ? read_count(left, 24) : -1, count = found > 0 ? read_count(right, 15) : -1;
        if (point < 1 || count < 1 || rules->start[point - 1])
            return bad_value("start", value, "write point:count, points 1 to 24 once each, counts 1 to 15", message);
        rules->start[point - 1] = (int8_t)count;
    }
    return NARDY_OK;
}

static nardy_status read_scores(const char *value, nd_rules *rules, nardy_message *message)
{
    char left[MAX_WORD], right[MAX_WORD];
    int found;
    memset(rules->points, 0, sizeof rules->points);
    while ((found = next_pair(&value, left, right)) != 0) {
        int kind = 0;
        while (found > 0 && kind < ND_DEFEATS) {
            const char *name = nd_defeat_name(rules->family, (nd_defeat)kind);
            if (name && strcmp(name, left) == 0) break;
            kind++;
        }
        const float points = found > 0 ? read_points(right) : -1.0f;
        if (found < 0 || kind == ND_DEFEATS || !(points > 0 && points <= 1000) || rules->points[kind] > 0)
            return bad_value("scores", found < 0 ? "" : left,
                             "write kind:points, kinds of the family once each, points above 0 and at most 1000", message);
        rules->points[kind] = points;
    }
    return NARDY_OK;
}

static nardy_status read_plain(const nd_option *option, size_t index, const char *value, nd_rules *rules, nardy_message *message)
{
    long number = -1;
    const char *wanted = "write true or false";
    if (option->kind == ND_OPTION_CHOICE) {
        wanted = "it is none of the choices that nardy.h lists";
        for (int i = 0; option->choices[i]; i++)
            if (strcmp(option->choices[i], value) == 0) number = i;
    } else if (option->kind == ND_OPTION_BOOL) {
        number = strcmp(value, "true") == 0 ? 1 : strcmp(value, "false") == 0 ? 0 : -1;
    } else {
        wanted = "it is no whole number within the bounds that nardy.h lists";
        number = read_count(value, option->high);
        if (number < option->low) number = -1;
    }
    if (number < 0) return bad_value(option->name, value, wanted, message);
    nd_option_set(rules, index, (int)number);
    return NARDY_OK;
}

static nardy_status read_option(const char *name, const char *value, nd_rules *rules, nardy_message *message)
{
    const char *family = rules->family == ND_LONG ? "long" : "short";
    if (strcmp(name, "start") == 0) return read_start(value, rules, message);
    if (strcmp(name, "scores") == 0) return read_scores(value, rules, message);
    for (size_t i = 0; i < nd_option_count(); i++) {
        const nd_option *option = nd_option_at(i);
        if (strcmp(option->name, name) != 0) continue;
        if (strcmp(option->family, "both") != 0 && strcmp(option->family, family) != 0)
            return nardy_fail(message, NARDY_BAD_INPUT, "rule option %s belongs to the %s family", name, option->family);
        return read_plain(option, i, value, rules, message);
    }
    return nardy_fail(message, NARDY_BAD_INPUT, "unknown rule option '%.40s'", name);
}

/* One line; `seen` remembers the names that have come, the first of which must be the family. */
static nardy_status read_line(const char *begin, const char *end, uint32_t *seen, nd_rules *rules, nardy_message *message)
{
    char name[MAX_WORD], value[512];
    const char *equals = memchr(begin, '=', (size_t)(end - begin));
    if (!equals) {
        while (begin < end && is_blank(*begin)) begin++;
        if (begin == end) return NARDY_OK;
        return nardy_fail(message, NARDY_BAD_INPUT, "a line of the options is not 'name = value'");
    }
    if (!copy_word(begin, equals, name, sizeof name) || !copy_word(equals + 1, end, value, sizeof value))
        return nardy_fail(message, NARDY_BAD_INPUT, "a line of the options is too long");
    if (*seen == 0) {
        if (strcmp(name, "family") != 0 || (strcmp(value, "long") != 0 && strcmp(value, "short") != 0))
            return nardy_fail(message, NARDY_BAD_INPUT, "options begin with 'family = long' or 'family = short'");
        *rules = nd_rules_default(strcmp(value, "long") == 0 ? ND_LONG : ND_SHORT);
    }
    uint32_t bit = strcmp(name, "start") == 0 ? 1u << 30 : strcmp(name, "scores") == 0 ? 1u << 31 : 0;
    for (size_t i = 0; i < nd_option_count(); i++)
        if (strcmp(nd_option_at(i)->name, name) == 0) bit = 1u << i;
    if (*seen & bit) return nardy_fail(message, NARDY_BAD_INPUT, "rule option %s is given twice", name);
    *seen |= bit;
    return read_option(name, value, rules, message);
}

nardy_status nardy_read_rules(const char *options, nd_rules *rules, nardy_message *message)
{
    nd_rules found;
    uint32_t seen = 0;
    memset(&found, 0, sizeof found);
    for (const char *at = options; *at;) {
        const char *end = at + strcspn(at, "\n;");
        const nardy_status status = read_line(at, end, &seen, &found, message);
        if (status != NARDY_OK) return status;
        at = *end ? end + 1 : end;
    }
    if (!seen) return nardy_fail(message, NARDY_BAD_INPUT, "options begin with 'family = long' or 'family = short'");
    const char *fault = nd_rules_finish(&found);
    if (fault) return nardy_fail(message, NARDY_BAD_INPUT, "bad rules: %s", fault);
    *rules = found;
    return NARDY_OK;
}

nardy_status nardy_rules_create(const char *options, nardy_rules **rules, nardy_message *message)
{
    if (!rules) return nardy_fail_null(message, "rules");
    *rules = NULL;
    if (!options) return nardy_fail_null(message, "options");
    nardy_rules *made = malloc(sizeof *made);
    if (!made) return nardy_fail_memory(message);
    const nardy_status status = nardy_read_rules(options, &made->rules, message);
    if (status == NARDY_OK) *rules = made;
    else free(made);
    return status;
}

void nardy_rules_destroy(nardy_rules *rules)
{
    free(rules);
}

bool nardy_same_rules(const nd_rules *a, const nd_rules *b)
{
    for (size_t i = 0; i < nd_option_count(); i++)
        if (nd_option_get(a, i) != nd_option_get(b, i)) return false;
    for (int kind = 0; kind < ND_DEFEATS; kind++)
        if (a->points[kind] < b->points[kind] || a->points[kind] > b->points[kind]) return false;
    return memcmp(a->start, b->start, sizeof a->start) == 0;
}

/* ---- writing ------------------------------------------------------------------------------------ */

typedef struct pad {
    char text[2048];
    size_t size;
} pad;

static void put(pad *pad, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(pad->text + pad->size, sizeof pad->text - pad->size, format, arguments);
    va_end(arguments);
    if (size > 0) pad->size += (size_t)size;
}

static void put_option(pad *pad, const nd_rules *rules, size_t index)
{
    const nd_option *option = nd_option_at(index);
    const int value = nd_option_get(rules, index);
    const bool other = strcmp(option->family, rules->family == ND_LONG ? "short" : "long") == 0;
    if (other) return;
    if (option->kind == ND_OPTION_CHOICE) put(pad, "%s = %s\n", option->name, option->choices[value]);
    else if (option->kind == ND_OPTION_BOOL) put(pad, "%s = %s\n", option->name, value ? "true" : "false");
    else put(pad, "%s = %d\n", option->name, value);
}

/* Points to a millionth, without the locale's comma. */
static void put_points(pad *pad, const char *name, float points)
{
    const long millionths = (long)((double)points * 1e6 + 0.5), whole = millionths / 1000000;
    long rest = millionths % 1000000;
    int digits = 6;
    while (digits > 1 && rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    if (rest == 0) put(pad, " %s:%ld", name, whole);
    else put(pad, " %s:%ld.%0*ld", name, whole, digits, rest);
}

static void put_rules(pad *pad, const nd_rules *rules)
{
    for (size_t i = 0; i < nd_option_count(); i++) put_option(pad, rules, i);
    put(pad, "start =");
    for (int column = 23; column >= 0; column--)
        if (rules->start[column]) put(pad, " %d:%d", column + 1, rules->start[column]);
    put(pad, "\nscores =");
    for (int kind = 0; kind < ND_DEFEATS; kind++)
        if (rules->points[kind] > 0) put_points(pad, nd_defeat_name(rules->family, (nd_defeat)kind), rules->points[kind]);
    put(pad, "\n");
}

nardy_status nardy_rules_text(const nardy_rules *rules, char *text, size_t room, size_t *needed, nardy_message *message)
{
    pad pad;
    if (!rules) return nardy_fail_null(message, "rules");
    if (!text && room) return nardy_fail_null(message, "text");
    pad.size = 0;
    put_rules(&pad, &rules->rules);
    if (needed) *needed = pad.size + 1;
    if (!text) return NARDY_OK;
    if (room < pad.size + 1)
        return nardy_fail(message, NARDY_BAD_INPUT, "the text takes %zu bytes, room is %zu", pad.size + 1, room);
    memcpy(text, pad.text, pad.size + 1);
    return NARDY_OK;
}

/* ---- outcomes ----------------------------------------------------------------------------------- */

int nardy_rules_use_seat(const nardy_rules *rules)
{
    return rules && nd_rules_use_seat(&rules->rules);
}

int nardy_rules_use_turns(const nardy_rules *rules)
{
    return rules && nd_rules_use_turns(&rules->rules);
}

int nardy_outcome_count(const nardy_rules *rules)
{
    return rules ? rules->rules.outcomes : 0;
}

const char *nardy_outcome_name(const nardy_rules *rules, int outcome)
{
    return rules ? nd_outcome_name(&rules->rules, outcome) : NULL;
}

float nardy_outcome_points(const nardy_rules *rules, int outcome)
{
    return rules && outcome >= 0 && outcome < rules->rules.outcomes ? rules->rules.worth[outcome] : 0.0f;
}
