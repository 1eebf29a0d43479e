package io.psf.kvstore;

import io.psf.api.Node;

/**
 * A command that a worker sends to all servers with {@code KVStore.sendCommandToServers}. Found on the servers' class
 * path by {@link java.util.ServiceLoader}, once per server. Used on the server's lane.
 */
public interface KVStoreCommand {
    /** Returns the number of this command, different from the numbers of all other commands. */
    int head();

    /**
     * Runs the command on one server. An exception that it throws is the failure of the worker's call.
     *
     * @param body the text that the worker sent
     * @param server the server; {@link Node#onShards} reaches the shards of a tensor
     * @return the answer to the worker
     */
    String run(String body, Node server);
}
