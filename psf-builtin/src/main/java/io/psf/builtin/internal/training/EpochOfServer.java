package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.ssp.SspGroups;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The last epoch that has ended on a server. Attached to the server, used on its lane. */
final class EpochOfServer {
    private long ended;
    /** Completed when all shards know that the next epoch has begun. */
    private CompletionStage<Void> begun = CompletableFuture.completedFuture(null);

    static EpochOfServer of(Node server) {
        return server.attachment("psf.epoch", EpochOfServer.class, EpochOfServer::new);
    }

    /** Returns the number of the last epoch that has ended; 0 for none. */
    long ended() {
        return ended;
    }

    /** Begins the next epoch. An earlier call for the same epoch has begun it. */
    CompletionStage<Void> begin(StoredNode node, long number, Set<Integer> workers) {
        if (number > ended) {
            ended = number;
            SspGroups.of(node).resume(workers);
            begun = node.onEveryShard(shard -> Restarts.of(shard).forEach(each -> each.resume(workers)));
        }
        return begun;
    }
}
