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
    /** Returns a host and a port as settings and messages have them: {@code host:port} or {@code [ipv6]:port}. */
    public static String address(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /** Returns the address that the node listens on, as {@code host:port} or {@code [ipv6]:port}. */
    public String address() {
        return address(host, port);
    }

    @Override
    public String toString() {
        return host.isEmpty() ? role.label() + " " + rank : role.label() + " " + rank + " (" + address() + ")";
    }
}
