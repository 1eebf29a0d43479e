package io.psf.acceptance;

import io.psf.api.Node;
import io.psf.kvstore.KVStoreCommand;

/** A command to servers: answers the body, the server's rank and whether it holds shards. */
public final class CountShards implements KVStoreCommand {
    static final int HEAD = 7;

    @Override
    public int head() {
        return HEAD;
    }

    @Override
    public String run(String body, Node server) {
        return body + " " + server.rank() + " " + !server.shards().isEmpty();
    }
}
