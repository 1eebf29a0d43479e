package io.psf.testkit;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import org.jspecify.annotations.Nullable;

/** A wrong function: it keeps what it has borrowed, and answers what the call before sent. */
@PsFunction("test.keep")
interface Keep {
    record Request(TensorId tensor, @ByRange FloatArray x) {}

    record Response(@ByRange FloatArray before) {}

    final class Kept {
        private @Nullable FloatArray x;
    }

    default Response handle(Request slice, Shard shard) {
        Kept kept = shard.attachment(Kept.class, Kept::new);
        FloatArray before = kept.x == null ? slice.x() : kept.x;
        kept.x = slice.x();
        return new Response(before);
    }
}
