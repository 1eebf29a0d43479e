package io.psf.builtin.training;

import io.psf.api.Shard;
import io.psf.api.spi.Restartable;
import io.psf.api.spi.StoredShard;
import java.util.List;

/** Finds the attachments of shards in which calls wait for those of other workers. */
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
}
