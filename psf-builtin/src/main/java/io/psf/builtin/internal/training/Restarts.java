package io.psf.builtin.internal.training;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.spi.Restartable;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.internal.ssp.SspGroups;
import io.psf.builtin.push.Workers;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The attachments of a server and its shards in which calls wait for calls of other workers. */
final class Restarts {
    private Restarts() {}

    static List<Restartable> of(Shard shard) {
        return shard instanceof StoredShard stored
                ? stored.attachments().all().stream()
                        .filter(Restartable.class::isInstance)
                        .map(Restartable.class::cast)
                        .toList()
                : List.of();
    }

    /** Waits for no call of a worker on a server and its shards, until the worker begins. */
    static CompletionStage<Void> pause(StoredNode node, int worker) {
        SspGroups.of(node).pause(worker);
        return node.onEveryShard(shard -> of(shard).forEach(each -> each.pause(worker)));
    }

    /**
     * Returns ranks as a set.
     *
     * @throws PsException with {@code BAD_REQUEST} if there are more than the cluster may have workers
     */
    static Set<Integer> workers(StoredNode node, int[] ranks) {
        int most = RestartSteps.UNKNOWN + Workers.of(node.members()).size();
        if (ranks.length > most) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "workers that begin: " + ranks.length + " (expected: at most " + most + ")");
        }
        return Arrays.stream(ranks).boxed().collect(Collectors.toSet());
    }
}
