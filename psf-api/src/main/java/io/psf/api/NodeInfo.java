package io.psf.api;

/**
 * A node, as its listeners see it.
 *
 * @param role its role
 * @param rank its rank among the nodes of its role, from 0; -1 for a guest, which has none
 * @param cluster the identity of the cluster, in hexadecimal digits: the same on all its nodes, and different for every
 *     start of a scheduler
 */
public record NodeInfo(Role role, int rank, String cluster) {}
