package io.psf.acceptance;

import io.psf.api.PsHandler;
import io.psf.api.spi.StoredShard;

/** Counts the slots of shards that have a list of them. */
@PsHandler(function = CountSlots.class)
public final class CountSlotsOfStored {
    CountSlots.Response handle(CountSlots.Request slice, StoredShard shard) {
        return new CountSlots.Response(shard.storedSlots().size());
    }
}
