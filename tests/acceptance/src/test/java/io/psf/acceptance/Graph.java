package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduction;
import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds edges, and answers the neighbours of nodes and which nodes have any. */
@PsFunction("acceptance.graph")
interface Graph {
    record Request(
            TensorId nodes,
            @Nullable String relation,
            @ByKey(everySlice = true) LongArray from,
            @Along("from") IntArray degrees,
            @Ragged("degrees") LongArray to,
            @ByKey(combine = Reduction.LAST) LongArray asked) {}

    record Response(
            @Along("asked") IntArray counts,
            @Ragged("counts") LongArray neighbors,
            @ByKey LongArray connected) {}

    default Response handle(Request slice, Shard shard) {
        Edges edges = shard.attachment(Edges.class, Edges::new);
        int at = 0;
        for (int i = 0; i < slice.from().length(); i++) {
            int end = at + slice.degrees().get(i);
            long[] to = slice.relation() == null
                    ? new long[0]
                    : slice.to().slice(at, end).toArray();
            edges.of.put(slice.from().get(i), to);
            at = end;
        }
        IntArray counts = IntArray.allocate(slice.asked().length());
        long[] neighbors = {};
        for (int i = 0; i < counts.length(); i++) {
            long[] found = edges.of.getOrDefault(slice.asked().get(i), new long[0]);
            counts.set(i, found.length);
            int n = neighbors.length;
            neighbors = Arrays.copyOf(neighbors, n + found.length);
            System.arraycopy(found, 0, neighbors, n, found.length);
        }
        long[] connected = edges.of.keySet().stream().mapToLong(Long::longValue).toArray();
        return new Response(counts, LongArray.wrap(neighbors), LongArray.wrap(connected));
    }

    /** The edges that begin in a shard's nodes. */
    final class Edges {
        private final TreeMap<Long, long[]> of = new TreeMap<>();
    }
}
