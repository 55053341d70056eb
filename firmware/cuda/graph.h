/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: pieces of work with an order between them, put together once and run many times; and the
 * streams' captures, which record work in place of doing it. Nodes run one at a time, each after
 * those it depends on, and otherwise in the order in which they were added. */
#ifndef SMRF_CUDA_GRAPH_H
#define SMRF_CUDA_GRAPH_H

#include "core.h"

struct smrf_cuda_graph;
struct smrf_cuda_node;
struct smrf_cuda_plan; /* a graph ready to run: cudaGraphExec_t */

/* ---- work ------------------------------------------------------------------------------------ */

enum smrf_cuda_work_kind { /* cudaGraphNodeType, CUgraphNodeType */
                           SMRF_WORK_KERNEL,
                           SMRF_WORK_COPY,
                           SMRF_WORK_FILL,
                           SMRF_WORK_HOST,
                           SMRF_WORK_GRAPH,
                           SMRF_WORK_EMPTY,
                           SMRF_WORK_WAIT,
                           SMRF_WORK_RECORD,
                           SMRF_WORK_ALLOC = 10, /* the memory is there before the graph runs */
                           SMRF_WORK_FREE        /* it stays for the graph's next run */
};

struct smrf_cuda_work {
    enum smrf_cuda_work_kind kind;
    const void *function; /* KERNEL: the program's handle of it, for queries */
    union {
        struct {
            struct smrf_cuda_launch launch;
            struct smrf_cuda_hints hints;
        };
        struct {
            struct smrf_cuda_place to, from;
            uint64_t width, height, depth;
            int direction;
        } copy;
        struct {
            struct smrf_cuda_place to;
            uint32_t value;
            unsigned size;
            uint64_t width, height, depth;
        } fill;
        struct {
            void (*function)(void *);
            void *data;
        } host;
        struct smrf_cuda_graph *graph;
        void *event;
        struct {
            void *address;
            uint64_t bytes;
        } memory;
    };
};

/* Does the work, or records it where the stream is capturing. Called without the lock. */
SMRF_CUDA_API int smrf_cuda_submit(void *stream, const struct smrf_cuda_work *work);
SMRF_CUDA_API int smrf_cuda_submit_copy(void *stream, struct smrf_cuda_place to,
                                        struct smrf_cuda_place from, uint64_t width,
                                        uint64_t height, uint64_t depth, int direction);
SMRF_CUDA_API int smrf_cuda_submit_fill(void *stream, struct smrf_cuda_place to, uint32_t value,
                                        unsigned size, uint64_t width, uint64_t height,
                                        uint64_t depth);
/* Allocates memory of the graph that the stream is capturing. */
SMRF_CUDA_API int smrf_cuda_capture_alloc(void **address, uint64_t bytes, void *stream);
int smrf_cuda_work_run(const struct smrf_cuda_work *work);
/* A copy with its own parameters and graph. */
int smrf_cuda_work_copy(struct smrf_cuda_work *to, const struct smrf_cuda_work *from);
void smrf_cuda_work_free(struct smrf_cuda_work *work);

/* ---- graphs (graph.c); with the lock held, handles checked ------------------------------------
 */

SMRF_CUDA_API int smrf_cuda_graph_create(struct smrf_cuda_graph **graph);
SMRF_CUDA_API int smrf_cuda_graph_destroy(struct smrf_cuda_graph *graph);
SMRF_CUDA_API int smrf_cuda_graph_copy(struct smrf_cuda_graph **copy,
                                       const struct smrf_cuda_graph *graph);
/* The node runs after `num` others of the graph; node may be NULL. */
SMRF_CUDA_API int smrf_cuda_graph_add(struct smrf_cuda_graph *graph, struct smrf_cuda_node **node,
                                      struct smrf_cuda_node *const *after, size_t num,
                                      const struct smrf_cuda_work *work);
/* Adds or removes the edges from[i] -> to[i]. */
SMRF_CUDA_API int smrf_cuda_graph_edges_set(struct smrf_cuda_graph *graph,
                                            struct smrf_cuda_node *const *from,
                                            struct smrf_cuda_node *const *to, size_t num, bool add);
/* Lists as the API gives them: with list NULL their number, else at most *num of them, the rest
 * NULL, and *num those there are if that is less. */
SMRF_CUDA_API int smrf_cuda_graph_nodes(struct smrf_cuda_graph *graph, struct smrf_cuda_node **list,
                                        size_t *num, bool roots);
SMRF_CUDA_API int smrf_cuda_graph_edges(struct smrf_cuda_graph *graph, struct smrf_cuda_node **from,
                                        struct smrf_cuda_node **to, size_t *num);
SMRF_CUDA_API int smrf_cuda_node_neighbours(struct smrf_cuda_node *node,
                                            struct smrf_cuda_node **list, size_t *num, bool after);
SMRF_CUDA_API int smrf_cuda_node_remove(struct smrf_cuda_node *node);
/* The work of the node; NULL: there is no such node, or its work is of another kind. */
SMRF_CUDA_API struct smrf_cuda_work *smrf_cuda_node_work(struct smrf_cuda_node *node);
SMRF_CUDA_API int smrf_cuda_node_set(struct smrf_cuda_node *node,
                                     const struct smrf_cuda_work *work);
/* The node of a copy of a graph that stands for one of the graph. */
SMRF_CUDA_API int smrf_cuda_node_in_copy(struct smrf_cuda_node **found, struct smrf_cuda_node *node,
                                         struct smrf_cuda_graph *copy);

/* Whether everything in `wanted` is in `last` or before something in it. */
bool smrf_cuda_graph_reaches(struct smrf_cuda_graph *graph, struct smrf_cuda_node *const *last,
                             size_t num, struct smrf_cuda_node *const *wanted, size_t num_wanted);

/* ---- plans (plan.c); with the lock held but for run -------------------------------------------
 */

SMRF_CUDA_API int smrf_cuda_plan_make(struct smrf_cuda_plan **plan, struct smrf_cuda_graph *graph);
SMRF_CUDA_API int smrf_cuda_plan_destroy(struct smrf_cuda_plan *plan);
SMRF_CUDA_API int smrf_cuda_plan_set(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node,
                                     const struct smrf_cuda_work *work);
/* Takes the work of a graph of the same form as the one within the node. */
SMRF_CUDA_API int smrf_cuda_plan_set_graph(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node,
                                           struct smrf_cuda_graph *graph);
/* Whether the node's work is done (kernels, copies and fills only); `set` changes it. */
SMRF_CUDA_API int smrf_cuda_plan_enabled(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node,
                                         bool *enabled, bool set);
/* Takes the work of a graph of the same form. *result: cudaGraphExecUpdateResult. */
SMRF_CUDA_API int smrf_cuda_plan_update(struct smrf_cuda_plan *plan, struct smrf_cuda_graph *graph,
                                        struct smrf_cuda_node **differs, int *result);
SMRF_CUDA_API int smrf_cuda_plan_run(struct smrf_cuda_plan *plan, void *stream);

/* Calls visit with each node, no node before one that it depends on. CUDA_INVALID_VALUE: a circle.
 */
typedef int (*smrf_cuda_visit)(void *ctx, struct smrf_cuda_node *node);
int smrf_cuda_graph_walk(struct smrf_cuda_graph *graph, smrf_cuda_visit visit, void *ctx);

/* ---- captures (capture.c) ---------------------------------------------------------------------
 */

SMRF_CUDA_API int smrf_cuda_capture_begin(void *stream, int mode);
SMRF_CUDA_API int smrf_cuda_capture_end(void *stream, struct smrf_cuda_graph **graph);
/* *status 0: none, 1: active, 2: no longer valid. What is not wanted may be NULL. */
SMRF_CUDA_API int smrf_cuda_capture_info(void *stream, int *status, uint64_t *id,
                                         struct smrf_cuda_graph **graph,
                                         struct smrf_cuda_node *const **last, size_t *num);
/* Replaces (or, with `add`, completes) what the stream's next node waits for. */
SMRF_CUDA_API int smrf_cuda_capture_after(void *stream, struct smrf_cuda_node *const *last,
                                          size_t num, bool add);
/* A call that has to wait for the stream: an error that ends the capture, if there is one. */
SMRF_CUDA_API int smrf_cuda_capture_forbids(void *stream);
SMRF_CUDA_API int smrf_cuda_capture_exchange(int *mode);

/* With the lock held; stream may be NULL. */
bool smrf_cuda_capturing(const struct smrf_cuda_stream *stream);
int smrf_cuda_capture_work(struct smrf_cuda_stream *stream, const struct smrf_cuda_work *work);
int smrf_cuda_capture_record(struct smrf_cuda_stream *stream, struct smrf_cuda_event *event);
int smrf_cuda_capture_wait(struct smrf_cuda_stream *stream, struct smrf_cuda_event *event);

#endif
