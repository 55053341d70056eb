/* SPDX-License-Identifier: Apache-2.0 */
#include "btree.h"

#include "rodinia.h"

#include <limits.h>

#define FILL                                                                                       \
    128 /* used slots of a node: a tree grown by splitting is between half full and full           \
         */
#define MAX_LEVELS 8

static const struct {
    int records, queries;
} sizes[SMRF_SIZES] = {{2000, 12}, {100000, 300}, {400000, 3000}};

struct tree {
    struct btree_node *nodes;
    int num_nodes, levels, root;
};

/* Level by level from the leaves up; keys of the records are 3, 5, 7, .. */
static int build_tree_(struct smrf_rodinia_host *host, struct tree *tree, int records)
{
    int total = 0, width = records;
    do {
        width = (width + FILL - 1) / FILL;
        total += width;
    } while (width > 1);
    tree->nodes = smrf_rodinia_take(host, (size_t)total, sizeof *tree->nodes);
    int *lowest = smrf_rodinia_take(host, (size_t)total, sizeof *lowest); /* key below a node */
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    int children = records, first_child = 0;
    do {
        const int first = tree->num_nodes;
        for (int child = 0; child < children; child++) {
            const int slot = child % FILL;
            if (slot == 0) {
                struct btree_node *fresh = &tree->nodes[tree->num_nodes++];
                for (int i = 0; i <= BTREE_ORDER; i++) {
                    fresh->keys[i] = INT_MAX;
                }
            }
            struct btree_node *node = &tree->nodes[tree->num_nodes - 1];
            const bool leaf = tree->levels == 0;
            const int key = leaf ? 2 * child + 3 : lowest[first_child + child];
            node->indices[slot] = leaf ? child : first_child + child;
            node->keys[slot] = !leaf && child == 0 ? INT_MIN : key;
            if (slot == 0) {
                lowest[tree->num_nodes - 1] = key;
            }
        }
        children = tree->num_nodes - first;
        first_child = first;
        tree->levels++;
    } while (children > 1);
    tree->root = first_child;
    return 0;
}

/* Every fourth is the first of a leaf: its key is also a separator in the nodes above. */
static int any_record_(struct smrf_suite_rng *rng, int query, int num_records)
{
    const int record = (int)(smrf_suite_u32(rng) % (uint32_t)num_records);
    return query % 4 == 1 ? record - record % FILL : record;
}

static int fill_int_(struct smrf_suite_run *run, smrf_dptr to, int *scratch, int count, int value)
{
    for (int i = 0; i < count; i++) {
        scratch[i] = value;
    }
    return smrf_device_write(run->device, to, scratch, (uint64_t)count * sizeof *scratch);
}

static int find_keys_(struct smrf_suite_run *run, struct smrf_rodinia_host *host, struct tree *tree,
                      smrf_dptr nodes, int num_records, int queries)
{
    struct smrf_suite_rng rng = {1};
    int *records = smrf_rodinia_take(host, (size_t)num_records, sizeof *records);
    int *keys = smrf_rodinia_take(host, (size_t)queries, sizeof *keys);
    int *got = smrf_rodinia_take(host, (size_t)queries, sizeof *got);
    int *want = smrf_rodinia_take(host, (size_t)queries, sizeof *want);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (int i = 0; i < num_records; i++) {
        records[i] = (int)(smrf_suite_u32(&rng) >> 1);
    }
    for (int i = 0; i < queries; i++) { /* one in eight is a key that does not exist */
        const int record = any_record_(&rng, i, num_records);
        const bool exists = i % 8 != 7;
        keys[i] = 2 * record + 3 + !exists;
        want[i] = exists ? records[record] : -1;
    }
    const uint64_t bytes = (uint64_t)queries * sizeof(int);
    smrf_dptr d_records, d_current, d_next, d_keys, d_answers;
    SMRF_TRY(smrf_suite_buffer(run, &d_records, records, (uint64_t)num_records * sizeof(int)));
    SMRF_TRY(smrf_suite_buffer(run, &d_current, NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_next, NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_keys, keys, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_answers, NULL, bytes));
    SMRF_TRY(fill_int_(run, d_current, got, queries, tree->root));
    SMRF_TRY(fill_int_(run, d_next, got, queries, tree->root));
    SMRF_TRY(fill_int_(run, d_answers, got, queries, -1));
    int height = tree->levels - 1; /* steps down: none at a leaf */
    SMRF_RODINIA_LAUNCH(run, "find_key", smrf_rodinia_dim((uint32_t)queries, 1),
                        smrf_rodinia_dim(BTREE_ORDER, 1), &height, &nodes, &tree->num_nodes,
                        &d_records, &d_current, &d_next, &d_keys, &d_answers);
    SMRF_TRY(smrf_device_read(run->device, got, d_answers, bytes));
    return smrf_suite_check_i32(run, "record of the key", got, want, (size_t)queries);
}

static int find_ranges_(struct smrf_suite_run *run, struct smrf_rodinia_host *host,
                        struct tree *tree, smrf_dptr nodes, int num_records, int queries)
{
    enum { FIRST, LAST, START, LENGTH, CURRENT, NEXT, LAST_CURRENT, LAST_NEXT, ARRAYS };
    struct smrf_suite_rng rng = {2};
    int *start = smrf_rodinia_take(host, (size_t)queries, sizeof *start);
    int *length = smrf_rodinia_take(host, (size_t)queries, sizeof *length);
    int *first = smrf_rodinia_take(host, (size_t)queries, sizeof *first);
    int *last = smrf_rodinia_take(host, (size_t)queries, sizeof *last);
    int *got = smrf_rodinia_take(host, (size_t)queries, sizeof *got);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (int i = 0; i < queries; i++) {
        start[i] = any_record_(&rng, i, num_records - 1000);
        length[i] = 1 + (int)(smrf_suite_u32(&rng) % 1000);
        first[i] = 2 * start[i] + 3;
        last[i] = first[i] + 2 * (length[i] - 1);
    }
    const uint64_t bytes = (uint64_t)queries * sizeof(int);
    smrf_dptr d[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        SMRF_TRY(smrf_suite_buffer(run, &d[i],
                                   i == FIRST  ? first
                                   : i == LAST ? last
                                               : NULL,
                                   bytes));
        if (i >= START) {
            SMRF_TRY(fill_int_(run, d[i], got, queries, i >= CURRENT ? tree->root : 0));
        }
    }
    int height = tree->levels - 1;
    SMRF_RODINIA_LAUNCH(run, "find_range", smrf_rodinia_dim((uint32_t)queries, 1),
                        smrf_rodinia_dim(BTREE_ORDER, 1), &height, &nodes, &tree->num_nodes,
                        &d[CURRENT], &d[NEXT], &d[LAST_CURRENT], &d[LAST_NEXT], &d[FIRST], &d[LAST],
                        &d[START], &d[LENGTH]);
    SMRF_TRY(smrf_device_read(run->device, got, d[START], bytes));
    SMRF_TRY(smrf_suite_check_i32(run, "start of the range", got, start, (size_t)queries));
    SMRF_TRY(smrf_device_read(run->device, got, d[LENGTH], bytes));
    return smrf_suite_check_i32(run, "length of the range", got, length, (size_t)queries);
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    const int records = sizes[run->size].records, queries = sizes[run->size].queries;
    struct tree tree = {NULL, 0, 0, 0};
    SMRF_TRY(build_tree_(host, &tree, records));
    smrf_dptr nodes;
    SMRF_TRY(
        smrf_suite_buffer(run, &nodes, tree.nodes, (uint64_t)tree.num_nodes * sizeof *tree.nodes));
    SMRF_TRY(find_keys_(run, host, &tree, nodes, records, queries));
    return find_ranges_(run, host, &tree, nodes, records, queries);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_btree = {
    .name = "btree",
    .group = "rodinia",
    .summary = "queries of a B+ tree: keys and ranges of keys, a block a query",
    .sass = "btree",
    .size_text = {"2000 records, 12 + 12 queries", "100000 records, 300 + 300 queries",
                  "400000 records, 3000 + 3000 queries"},
    .run = run_,
};
