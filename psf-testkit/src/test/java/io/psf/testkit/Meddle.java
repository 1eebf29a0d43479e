package io.psf.testkit;

import io.psf.api.Optimizer;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;

/** A wrong function: it says that it is read-only, and makes one change. */
@PsFunction(value = "test.meddle", readOnly = true)
interface Meddle {
    /** The changes. */
    enum Change {
        NONE,
        ATTACHMENT,
        SLOT,
        OPTIMIZER,
        VALUES,
        REMOVAL,
        CALL
    }

    record Request(TensorId tensor, Change change) {}

    record Response() {}

    final class Notes {}

    default Response handle(Request slice, Shard shard) {
        switch (slice.change()) {
            case NONE ->
                shard.findAttachment(Notes.class, Notes::new).ifPresent(notes -> {
                    throw new AssertionError("made by nobody");
                });
            case ATTACHMENT -> shard.attachment(Notes.class, Notes::new);
            case SLOT -> shard.slot("notes", 1);
            case OPTIMIZER -> {
                Optimizer same = shard.optimizer();
                shard.setOptimizer(same);
            }
            case VALUES -> shard.values().set(0, shard.values().get(0) + 1);
            case REMOVAL -> shard.removeRows(LongArray.of(shard.key(0)));
            case CALL -> TouchPsf.stub(shard.caller()).call(slice.tensor(), LongArray.of(0), false);
        }
        return new Response();
    }
}
