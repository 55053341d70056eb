/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#define TILE 16
#define PYRAMID 2 /* time steps a launch */

static const struct {
    int side, steps;
} sizes[SMRF_SIZES] = {{36, 4}, {256, 4}, {512, 10}};

struct chip {
    int rows, columns;
    float capacitance, rx, ry, rz, step;
};

/* A silicon die of 16 mm x 16 mm x 0.5 mm; constants of the HotSpot thermal model. */
static void set_up_(struct chip *c, int side)
{
    const float thickness = 0.0005f, height = 0.016f, width = 0.016f;
    const float conductivity = 100, specific_heat = 1.75e6f, factor = 0.5f, max_power = 3.0e6f;
    const float cell_height = height / (float)side, cell_width = width / (float)side;
    c->rows = c->columns = side;
    c->capacitance = factor * specific_heat * thickness * cell_width * cell_height;
    c->rx = cell_width / (2.0f * conductivity * thickness * cell_height);
    c->ry = cell_height / (2.0f * conductivity * thickness * cell_width);
    c->rz = thickness / (conductivity * cell_height * cell_width);
    c->step = 0.001f / (max_power / (factor * thickness * specific_heat));
}

/* One time step; beyond the edges lies what lies on them. */
static void step_(const struct chip *c, const float *power, const float *from, float *to)
{
    const float over = c->step / c->capacitance;
    const float rx_1 = 1 / c->rx, ry_1 = 1 / c->ry, rz_1 = 1 / c->rz;
    for (int y = 0; y < c->rows; y++) {
        for (int x = 0; x < c->columns; x++) {
            const int i = y * c->columns + x;
            const float t = from[i];
            const float north = y > 0 ? from[i - c->columns] : t;
            const float south = y < c->rows - 1 ? from[i + c->columns] : t;
            const float west = x > 0 ? from[i - 1] : t;
            const float east = x < c->columns - 1 ? from[i + 1] : t;
            const double vertical = (double)(south + north) - 2.0 * (double)t;
            const double horizontal = (double)(east + west) - 2.0 * (double)t;
            const double sum = (double)power[i] + vertical * (double)ry_1 +
                               horizontal * (double)rx_1 + (double)((80.0f - t) * rz_1);
            to[i] = (float)((double)t + (double)over * sum);
        }
    }
}

static int on_device_(struct smrf_suite_run *run, struct chip *c, int steps, const float *power,
                      const float *start, float *result)
{
    const uint64_t bytes = (uint64_t)c->rows * (uint64_t)c->columns * sizeof(float);
    smrf_dptr d_power, d_temperature[2];
    SMRF_TRY(smrf_suite_buffer(run, &d_power, power, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_temperature[0], start, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_temperature[1], NULL, bytes));
    const uint32_t blocks = smrf_rodinia_blocks((size_t)c->rows, TILE - 2 * PYRAMID);
    int from = 0;
    for (int done = 0; done < steps; done += PYRAMID, from = !from) {
        int now = steps - done < PYRAMID ? steps - done : PYRAMID;
        SMRF_RODINIA_LAUNCH(run, "hotspot_steps", smrf_rodinia_dim(blocks, blocks),
                            smrf_rodinia_dim(TILE, TILE), &now, &d_power, &d_temperature[from],
                            &d_temperature[!from], &c->columns, &c->rows, &now, &now,
                            &c->capacitance, &c->rx, &c->ry, &c->rz, &c->step);
    }
    return smrf_device_read(run->device, result, d_temperature[from], bytes);
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {6};
    struct chip chip;
    set_up_(&chip, sizes[run->size].side);
    const int steps = sizes[run->size].steps;
    const size_t cells = (size_t)chip.rows * (size_t)chip.columns;
    float *power = smrf_rodinia_take(host, cells, sizeof *power);
    float *now = smrf_rodinia_take(host, cells, sizeof *now);
    float *then = smrf_rodinia_take(host, cells, sizeof *then);
    float *got = smrf_rodinia_take(host, cells, sizeof *got);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    smrf_rodinia_fill(&rng, power, cells, 0.0f, 0.05f);
    smrf_rodinia_fill(&rng, now, cells, 320.0f, 345.0f);
    SMRF_TRY(on_device_(run, &chip, steps, power, now, got));
    for (int i = 0; i < steps; i++) {
        step_(&chip, power, now, then);
        float *swap = now;
        now = then;
        then = swap;
    }
    return smrf_suite_check_f32(run, "temperature", got, now, cells, 0, 1.2e-7);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_hotspot = {
    .name = "hotspot",
    .group = "rodinia",
    .summary = "heat on a chip: stencil in shared memory, two time steps a launch",
    .sass = "hotspot",
    .size_text = {"36 x 36, 4 steps", "256 x 256, 4 steps", "512 x 512, 10 steps"},
    .run = run_,
};
