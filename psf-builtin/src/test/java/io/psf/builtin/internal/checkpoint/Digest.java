package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredShard;
import java.util.TreeMap;

/** A number that changes with any value, key or slot of a tensor; slots that hold zeros alone count as none. */
@PsFunction(value = "test.digest", readOnly = true)
public interface Digest {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) long digest) {}

    default Response handle(Request request, StoredShard shard) {
        long digest = 0;
        for (int row = 0; row < shard.rows(); row++) {
            digest = digest * 31 + shard.key(row);
        }
        digest = digest * 31 + shard.values().hashCode();
        for (var slot : new TreeMap<>(shard.storedSlots()).entrySet()) {
            FloatArray values = slot.getValue().read(0, shard.rows());
            FloatArray zeros = FloatArray.allocate(values.length());
            if (!values.equals(zeros)) {
                digest = digest * 31 + slot.getKey().hashCode() * 7L + values.hashCode();
            }
        }
        return new Response(digest);
    }
}
