package io.psf.api;

/**
 * One node of the cluster, as the other nodes know it.
 *
 * @param role the node's role
 * @param rank the node's number among the nodes of its role, from 0
 * @param host the host that the node listens on; empty for a worker, which does not listen
 * @param port the port that the node listens on; 0 for a worker
 */
public record Member(Role role, int rank, String host, int port) {
    @Override
    public String toString() {
        return host.isEmpty() ? role.label() + " " + rank : role.label() + " " + rank + " (" + host + ":" + port + ")";
    }
}
