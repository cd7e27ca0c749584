/* net_file.c - models from net files.
 *
 * Why a format of its own, when a model file (.safetensors) could be read as well: its header is JSON with JSON
 * texts inside, so a reader needs a parser for nested, escaped, unbounded text, which is most of the code and
 * all of the risk. A net file is the same content laid out for a reader that checks lengths and nothing else.
 * `nardy_ai.export.net_file` writes it from a model file. All numbers are little-endian.
 *
 *     8 bytes   "NARDYNET"
 *     uint32    version of the format, 1
 *     uint32    CRC-32 (that of zlib and PNG) of everything after these 24 bytes
 *     uint64    how many bytes come after these 24
 *     text      profile, for people: "long/fns"
 *     text      encoding: "long-1-seat"
 *     text      outcomes of the outputs in their order, a blank between two
 *     text      the rules it was trained under, as nardy_rules_create reads them
 *     text      origin, for people: lines "name = value"
 *     uint32    nets, 1 to 3; for each:
 *       uint32    which: 0 contact (always there), 1 race, 2 the scout
 *       uint32    layers, 2..16
 *       uint32    sizes from the inputs to the outputs, layers + 1 of them, 1..4096
 *       float32   for each layer its weight [outputs][inputs], then its bias [outputs]
 *
 * A text is a uint32 length of at most 65,536 and so many bytes of UTF-8 without a NUL. Nothing follows the last
 * net. A file is at most 256 MiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { HEADER = 24, VERSION = 1, MAX_TEXT = 65536 };
static const uint64_t MAX_FILE = (uint64_t)256 << 20;

/* What is left to read; a read past the end clears `fine` and gives zeros from then on. */
typedef struct reader {
    const uint8_t *at;
    size_t left;
    bool fine;
} reader;

static const uint8_t *take(reader *reader, size_t size)
{
    if (!reader->fine || size > reader->left) {
        reader->fine = false;
        return NULL;
    }
    const uint8_t *found = reader->at;
    reader->at += size;
    reader->left -= size;
    return found;
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t take_word(reader *reader)
{
    const uint8_t *bytes = take(reader, 4);
    return bytes ? word_at(bytes) : 0;
}

/* A copy of the next text, ended by a NUL; NULL: it is damaged, or there is no memory (then fine stays). */
static char *take_text(reader *reader)
{
    const uint32_t size = take_word(reader);
    const uint8_t *bytes = size <= MAX_TEXT ? take(reader, size) : NULL;
    if (!bytes || memchr(bytes, 0, size)) {
        reader->fine = false;
        return NULL;
    }
    char *text = malloc((size_t)size + 1);
    if (!text) return NULL;
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    /* Half a byte at a time: the table is small, and a file is read once. */
    static const uint32_t TABLE[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ TABLE[crc & 15];
        crc = crc >> 4 ^ TABLE[crc & 15];
    }
    return ~crc;
}

/* ---- the nets ----------------------------------------------------------------------------------- */

enum { PROFILE, ENCODING, OUTCOMES, RULES, ORIGIN, TEXTS };

typedef struct content {
    char *texts[TEXTS];
    nd_layer layers[ND_NET_COUNT][ND_MAX_LAYERS];
    size_t counts[ND_NET_COUNT];
    float *numbers[ND_NET_COUNT];
} content;

static void release(content *content)
{
    for (int i = 0; i < TEXTS; i++) free(content->texts[i]);
    for (int i = 0; i < ND_NET_COUNT; i++) free(content->numbers[i]);
}

/* Numbers as the processor has them; what is no finite number is left to the engine to refuse. */
static void copy_numbers(const uint8_t *bytes, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t word = word_at(bytes + 4 * i);
        memcpy(&out[i], &word, sizeof word);
    }
}

static nardy_status bad_file(nardy_message *message, const char *why)
{
    return nardy_fail(message, NARDY_BAD_FILE, "this is no whole net file: %s", why);
}

static nardy_status read_net(reader *reader, content *content, nardy_message *message)
{
    const uint32_t class = take_word(reader), layers = take_word(reader);
    uint32_t sizes[ND_MAX_LAYERS + 1];
    if (!reader->fine) return bad_file(message, "it is truncated");
    if (class >= ND_NET_COUNT || content->counts[class] > 0) return bad_file(message, "a net stands there twice, or is of no known kind");
    if (layers < 2 || layers > ND_MAX_LAYERS) return bad_file(message, "a net has 2 to 16 layers");
    size_t total = 0;
    for (uint32_t i = 0; i <= layers; i++) {
        sizes[i] = take_word(reader);
        if (sizes[i] < 1 || sizes[i] > ND_MAX_WIDTH) return bad_file(message, "the sizes of layers are 1 to 4096");
        /* At most 16 * 4097 * 4096 numbers, which fits 32 bits. */
        if (i > 0) total += ((size_t)sizes[i - 1] + 1) * sizes[i];
    }
    if (total > reader->left / 4) return bad_file(message, "it is truncated");
    const uint8_t *bytes = take(reader, 4 * total);
    float *numbers = malloc(total * sizeof *numbers);
    if (!numbers) return nardy_fail_memory(message);
    content->numbers[class] = numbers;
    content->counts[class] = layers;
    copy_numbers(bytes, total, numbers);
    for (uint32_t i = 0; i < layers; i++) {
        nd_layer *layer = &content->layers[class][i];
        layer->inputs = (int)sizes[i];
        layer->outputs = (int)sizes[i + 1];
        layer->weight = numbers;
        layer->bias = numbers + (size_t)sizes[i] * sizes[i + 1];
        numbers += ((size_t)sizes[i] + 1) * sizes[i + 1];
    }
    return NARDY_OK;
}

static nardy_status read_content(reader *reader, content *content, nardy_message *message)
{
    for (int i = 0; i < TEXTS; i++) {
        content->texts[i] = take_text(reader);
        if (!content->texts[i]) return reader->fine ? nardy_fail_memory(message) : bad_file(message, "a text is damaged");
    }
    const uint32_t nets = take_word(reader);
    if (nets < 1 || nets > ND_NET_COUNT) return bad_file(message, "it has a wrong number of nets");
    for (uint32_t i = 0; i < nets; i++) {
        const nardy_status status = read_net(reader, content, message);
        if (status != NARDY_OK) return status;
    }
    if (content->counts[ND_CONTACT] == 0) return bad_file(message, "it has no net for contact positions");
    return reader->left == 0 ? NARDY_OK : bad_file(message, "something follows the last net");
}

static nardy_status read_header(reader *reader, nardy_message *message)
{
    const uint8_t *header = take(reader, HEADER);
    if (!header || memcmp(header, "NARDYNET", 8) != 0) return bad_file(message, "it does not begin like one");
    if (word_at(header + 8) != VERSION)
        return nardy_fail(message, NARDY_BAD_FILE, "this net file has format %u, and this library reads format %d",
                          (unsigned)word_at(header + 8), VERSION);
    const uint64_t size = word_at(header + 16) | (uint64_t)word_at(header + 20) << 32;
    if (size != reader->left) return bad_file(message, "its length is not what it says");
    if (crc32_of(reader->at, reader->left) != word_at(header + 12)) return bad_file(message, "its checksum is wrong");
    return NARDY_OK;
}

/* ---- outcomes by name --------------------------------------------------------------------------- */

static int outcome_named(const nd_rules *rules, const char *name)
{
    for (int i = 0; i < rules->outcomes; i++)
        if (strcmp(nd_outcome_name(rules, i), name) == 0) return i;
    return -1;
}

static bool same_side(const char *a, const char *b)
{
    return a[0] == b[0]; /* win, lose, draw */
}

/* For each outcome of `trained` its place under `used`: an outcome that is not scored there counts as the next
 * lower one of the same side, a draw where there is none is left out. */
static void match_outcomes(const nd_rules *trained, const nd_rules *used, int8_t *places)
{
    for (int i = 0; i < trained->outcomes; i++) {
        int place = -1;
        for (int lower = i; place < 0 && lower >= 0; lower--)
            if (same_side(nd_outcome_name(trained, lower), nd_outcome_name(trained, i)))
                place = outcome_named(used, nd_outcome_name(trained, lower));
        places[i] = (int8_t)place;
    }
}

/* Whether the file names the outcomes of its own rules. */
static bool outcomes_agree(const nd_rules *rules, const char *text)
{
    for (int i = 0; i < rules->outcomes; i++) {
        const char *name = nd_outcome_name(rules, i);
        if (i > 0 && *text++ != ' ') return false;
        if (strncmp(text, name, strlen(name)) != 0) return false;
        text += strlen(name);
    }
    return *text == '\0';
}

static nardy_status build(const content *content, const nardy_rules *rules, const char *kernels, nardy_model **model,
                          nardy_message *message)
{
    nd_rules trained;
    nardy_message inner;
    int8_t places[ND_MAX_OUTCOMES];
    const int encoding = nardy_encoding_number(content->texts[ENCODING]);
    if (encoding < 0)
        return nardy_fail(message, NARDY_BAD_FILE, "this library does not know the encoding '%.40s' of this net file",
                          content->texts[ENCODING]);
    inner.text[0] = '\0';
    if (nardy_read_rules(content->texts[RULES], &trained, &inner) != NARDY_OK)
        return nardy_fail(message, NARDY_BAD_FILE, "the rules of this net file do not hold: %.180s", inner.text);
    if (!outcomes_agree(&trained, content->texts[OUTCOMES])) return bad_file(message, "its outcomes are not those of its rules");
    if (rules && rules->rules.family != trained.family)
        return nardy_fail(message, NARDY_BAD_INPUT, "this is a model of %s nardy, the rules are of the other family",
                          trained.family == ND_LONG ? "long" : "short");
    const nd_rules *used = rules ? &rules->rules : &trained;
    match_outcomes(&trained, used, places);
    nardy_nets nets;
    for (int i = 0; i < ND_NET_COUNT; i++) {
        nets.layers[i] = content->layers[i];
        nets.counts[i] = content->counts[i];
    }
    return nardy_build_model(used, (nd_encoding)encoding, &nets, places, trained.outcomes, kernels, model, message);
}

nardy_status nardy_model_read(const void *bytes, size_t size, const nardy_rules *rules, const char *kernels,
                              nardy_model **model, nardy_message *message)
{
    if (!model) return nardy_fail_null(message, "model");
    *model = NULL;
    if (!bytes) return nardy_fail_null(message, "bytes");
    content content;
    memset(&content, 0, sizeof content);
    reader reader = {bytes, size, true};
    nardy_status status = read_header(&reader, message);
    if (status == NARDY_OK) status = read_content(&reader, &content, message);
    if (status == NARDY_OK) status = build(&content, rules, kernels, model, message);
    release(&content);
    return status;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Reads to the end, growing as it goes: a file may be a pipe, or may lie about its length. */
static nardy_status read_all(FILE *file, const char *path, uint8_t **bytes, size_t *size, nardy_message *message)
{
    size_t room = 0;
    *bytes = NULL;
    *size = 0;
    do {
        if (*size == room) {
            uint8_t *larger = room < MAX_FILE ? realloc(*bytes, room ? 2 * room : 65536) : NULL;
            if (!larger && room >= MAX_FILE) return nardy_fail(message, NARDY_BAD_FILE, "%.150s is over 256 MiB", path);
            if (!larger) return nardy_fail_memory(message);
            *bytes = larger;
            room = room ? 2 * room : 65536;
        }
        *size += fread(*bytes + *size, 1, room - *size, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) return nardy_fail(message, NARDY_NO_FILE, "%.150s cannot be read", path);
    return NARDY_OK;
}

nardy_status nardy_model_load(const char *path, const nardy_rules *rules, const char *kernels, nardy_model **model,
                              nardy_message *message)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (!model) return nardy_fail_null(message, "model");
    *model = NULL;
    if (!path) return nardy_fail_null(message, "path");
    FILE *file = fopen(path, "rb");
    if (!file) return nardy_fail(message, NARDY_NO_FILE, "%.150s cannot be opened", path);
    nardy_status status = read_all(file, path, &bytes, &size, message);
    fclose(file);
    if (status == NARDY_OK) status = nardy_model_read(bytes, size, rules, kernels, model, message);
    free(bytes);
    return status;
}
