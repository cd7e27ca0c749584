/* models.c - models from layers in memory. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static const char *const NAMES[ND_NET_COUNT] = {"contact", "race", "scout"};

static nardy_status add_net(nd_model *model, int class, const nardy_nets *nets, nardy_message *message)
{
    const char *fault = NULL;
    const char *name = NAMES[class];
    /* A scout reads the plain inputs, where the other nets may have the shape of the board beside them. */
    const nd_encoding seen = class == ND_SCOUT ? nd_encoding_of_scout(model->encoding) : model->encoding;
    nd_net *net = nd_net_create(seen, nets->layers[class], (int)nets->counts[class], &fault);
    if (!net && strcmp(fault, "out of memory") == 0) return nardy_fail_memory(message);
    if (!net) return nardy_fail(message, NARDY_BAD_INPUT, "bad %s net: %s", name, fault);
    model->nets[class] = net;
    if (nd_net_outputs(net) != model->outputs)
        return nardy_fail(message, NARDY_BAD_INPUT, "bad %s net: it has %d outputs, there are %d outcomes", name,
                          nd_net_outputs(net), model->outputs);
    if (nd_net_width(net) > model->width) model->width = nd_net_width(net);
    return NARDY_OK;
}

nardy_status nardy_build_model(const nd_rules *rules, nd_encoding encoding, const nardy_nets *nets, const int8_t *outcome_of,
                               int outputs, const char *kernels, nardy_model **out, nardy_message *message)
{
    if (nd_encoding_family(encoding) != rules->family)
        return nardy_fail(message, NARDY_BAD_INPUT, "encoding %s is of the other family than the rules",
                          nd_encoding_name(encoding));
    const nd_kernels *chosen = kernels ? nd_kernels_named(kernels) : nd_kernels_best();
    if (!chosen) return nardy_fail(message, NARDY_BAD_INPUT, "this processor does not run the kernels '%.40s'", kernels);
    nardy_model *made = calloc(1, sizeof *made);
    nd_model *model = made ? calloc(1, sizeof *model) : NULL;
    if (!model) {
        free(made);
        return nardy_fail_memory(message);
    }
    made->model = model;
    made->rules.rules = *rules;
    model->rules = *rules;
    model->encoding = encoding;
    model->outputs = outputs;
    model->kernels = chosen;
    memcpy(model->outcome_of, outcome_of, (size_t)outputs);
    nardy_status status = NARDY_OK;
    for (int class = 0; status == NARDY_OK && class < ND_NET_COUNT; class++)
        if (class == ND_CONTACT || nets->counts[class] > 0) status = add_net(model, class, nets, message);
    if (status == NARDY_OK) *out = made;
    else nardy_model_destroy(made);
    return status;
}

/* The engine's view of a caller's layers; what the engine cannot check itself is checked here. */
static nardy_status take_layers(const char *name, const nardy_layer *layers, size_t count, nd_layer out[ND_MAX_LAYERS],
                                nardy_message *message)
{
    if (count > 0 && !layers) return nardy_fail_null(message, name);
    if (count > ND_MAX_LAYERS) return nardy_fail(message, NARDY_BAD_INPUT, "bad %s net: a net has at most 16 layers", name);
    for (size_t i = 0; i < count; i++) {
        if (!layers[i].weight || !layers[i].bias) return nardy_fail_null(message, layers[i].bias ? "weight" : "bias");
        if (layers[i].inputs < 1 || layers[i].outputs < 1 || layers[i].inputs > ND_MAX_WIDTH || layers[i].outputs > ND_MAX_WIDTH)
            return nardy_fail(message, NARDY_BAD_INPUT, "bad %s net: a layer has 1 to 4096 inputs and outputs", name);
        out[i].inputs = layers[i].inputs;
        out[i].outputs = layers[i].outputs;
        out[i].weight = layers[i].weight;
        out[i].bias = layers[i].bias;
    }
    return NARDY_OK;
}

nardy_status nardy_model_create(const nardy_rules *rules, const char *encoding, const nardy_layer *contact,
                                size_t contact_layers, const nardy_layer *race, size_t race_layers,
                                const nardy_layer *scout, size_t scout_layers, const char *kernels, nardy_model **model,
                                nardy_message *message)
{
    nd_layer layers[ND_NET_COUNT][ND_MAX_LAYERS];
    const nardy_layer *given[ND_NET_COUNT] = {contact, race, scout};
    nardy_nets nets = {{layers[ND_CONTACT], layers[ND_RACE], layers[ND_SCOUT]}, {contact_layers, race_layers, scout_layers}};
    int8_t outcome_of[ND_MAX_OUTCOMES];
    if (!model) return nardy_fail_null(message, "model");
    *model = NULL;
    if (!rules) return nardy_fail_null(message, "rules");
    if (!encoding) return nardy_fail_null(message, "encoding");
    if (!contact) return nardy_fail_null(message, "contact");
    const int number = nardy_encoding_number(encoding);
    if (number < 0) return nardy_fail(message, NARDY_BAD_INPUT, "unknown encoding '%.40s'", encoding);
    for (int i = 0; i < ND_NET_COUNT; i++) {
        const nardy_status status = take_layers(NAMES[i], given[i], nets.counts[i], layers[i], message);
        if (status != NARDY_OK) return status;
    }
    for (int i = 0; i < ND_MAX_OUTCOMES; i++) outcome_of[i] = (int8_t)i;
    return nardy_build_model(&rules->rules, (nd_encoding)number, &nets, outcome_of, rules->rules.outcomes, kernels, model,
                             message);
}

void nardy_model_destroy(nardy_model *model)
{
    if (!model) return;
    nd_model_destroy(model->model);
    free(model);
}

const nardy_rules *nardy_model_rules(const nardy_model *model)
{
    return model ? &model->rules : NULL;
}

const char *nardy_model_encoding(const nardy_model *model)
{
    return model ? nd_encoding_name(model->model->encoding) : NULL;
}

const char *nardy_model_kernels(const nardy_model *model)
{
    return model ? model->model->kernels->name : NULL;
}
