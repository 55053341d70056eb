/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a B+ tree's nodes, the same for the host and the device. */
#ifndef SMRF_RODINIA_BTREE_H
#define SMRF_RODINIA_BTREE_H

#define BTREE_ORDER 256 /* slots of a node: the threads of a block */

/* keys ascend; unused slots hold INT_MAX. keys[0] of the leftmost inner nodes is INT_MIN, so that
 * every key lies between two slots. indices: children of an inner node, records of a leaf. */
struct btree_node {
    int indices[BTREE_ORDER + 1];
    int keys[BTREE_ORDER + 1];
};

#endif
