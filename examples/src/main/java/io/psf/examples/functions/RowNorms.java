package io.psf.examples.functions;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;

/** Computes the Euclidean norm of every row of a tensor. */
@PsFunction(value = "examples.row.norms", readOnly = true)
public interface RowNorms {
    record Request(TensorId tensor) {}

    record Response(@ByRange(width = 1) FloatArray norms) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray norms = shard.allocate(shard.rows());
        for (int i = 0; i < shard.rows(); i++) {
            FloatArray row = shard.values().slice(i * shard.width(), (i + 1) * shard.width());
            norms.set(i, (float) Math.sqrt(row.dot(row)));
        }
        return new Response(norms);
    }
}
