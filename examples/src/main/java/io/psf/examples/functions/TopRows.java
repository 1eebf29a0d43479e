package io.psf.examples.functions;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds the k rows with the largest inner product with a query, largest first, next to the table. */
@PsFunction(value = "examples.top.rows", readOnly = true)
public interface TopRows {
    /**
     * The query.
     *
     * @param table the table to search
     * @param query [width] float32; borrowed until await returns
     * @param k the maximum number of rows to return
     */
    record Request(TensorId table, FloatArray query, int k) {}

    /** A row and its inner product with the query. */
    record Hit(long key, double score) {}

    /** The rows, best first. */
    record Response(List<Hit> hits) {}

    default Response handle(Request slice, Shard shard) {
        return best(
                slice.k(),
                IntStream.range(0, shard.rows())
                        .mapToLong(shard::key)
                        .mapToObj(key -> new Hit(key, shard.values(key).dot(slice.query()))));
    }

    /** Returns the best of the slices' best rows. */
    static Response merge(Request request, List<Response> slices) {
        return best(request.k(), slices.stream().flatMap(slice -> slice.hits().stream()));
    }

    private static Response best(int k, Stream<Hit> hits) {
        Comparator<Hit> order = Comparator.comparing(Hit::score).reversed().thenComparing(Hit::key);
        return new Response(hits.sorted(order).limit(k).toList());
    }
}
