package io.psf.runtime.internal.cluster;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nested records that have grown twice: their later components are in sections. */
@PsFunction("vectors.sections")
interface VectorSections {
    enum Mode {
        FAST,
        @Since(2)
        EXACT
    }

    record Name(String first, @Since(3) @Nullable String last) {}

    record Point(float x, @Since(2) Mode mode, @Since(3) Name name) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Request(
            TensorId tensor,
            Point point,
            List<Point> points,
            @Since(2) Point later,
            @Since(3) long[] ids) {}

    record Response(List<Name> names, @Since(2) @Reduce(SUM) long count) {}

    Response handle(Request slice, Shard shard);
}
