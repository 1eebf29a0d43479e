package io.psf.fuzz;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduction;
import java.util.Arrays;

/** Ragged rows both ways, and keys that the servers produce: arrays whose lengths the other side says. */
@PsFunction("fuzz.produced")
public interface Produced {
    /** Ragged rows along keys. */
    record Request(
            TensorId tensor,
            @ByKey(combine = Reduction.LAST) LongArray nodes,
            @ByKey LongArray from,
            @Ragged("degrees") LongArray to,
            @Along("from") IntArray degrees) {}

    /** Ragged rows along keys that were asked for and along others. */
    record Response(
            @Ragged("counts") LongArray neighbors,
            @Along("nodes") IntArray counts,
            @ByKey LongArray found,
            @Along("found") FloatArray rows,
            @Along("found") IntArray ages,
            @Ragged("ages") DoubleArray history,
            @Since(2) @Ragged("counts") DoubleArray weights) {}

    /** Two elements for each node, and one for each other key. */
    default Response handle(Request slice, Shard shard) {
        int nodes = slice.nodes().length();
        int[] counts = new int[nodes];
        Arrays.fill(counts, 2);
        int found = slice.from().length();
        int[] ages = new int[found];
        Arrays.fill(ages, 1);
        return new Response(
                LongArray.allocate(2 * nodes),
                IntArray.wrap(counts),
                slice.from(),
                FloatArray.allocate(found * shard.width()),
                IntArray.wrap(ages),
                DoubleArray.allocate(found),
                DoubleArray.allocate(2 * nodes));
    }
}
