package io.psf.fuzz;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.FloatArray;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers that are merged by the function itself, and so are copied whole. */
@PsFunction(value = "fuzz.listed", readOnly = true)
public interface Listed {
    /** Nothing but numbers. */
    record Point(long key, float value) {}

    /** What comes and goes. */
    record Request(
            TensorId tensor, List<Point> points, @Nullable ByteArray extra) {}

    /** The same. */
    record Response(
            List<Point> points,
            @Nullable ByteArray extra,
            FloatArray values,
            @Nullable List<Point> more) {}

    /** Answers with what came and the shard's values. */
    default Response handle(Request slice, Shard shard) {
        return new Response(slice.points(), slice.extra(), shard.values(), null);
    }

    /** One list of all points. */
    static Response merge(List<Response> slices) {
        List<Point> points = new ArrayList<>();
        slices.forEach(slice -> points.addAll(slice.points()));
        Response first = slices.get(0);
        return new Response(points, first.extra(), first.values(), first.more());
    }
}
