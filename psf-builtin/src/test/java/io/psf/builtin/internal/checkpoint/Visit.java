package io.psf.builtin.internal.checkpoint;

import io.psf.api.Checkpointed;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.TreeMap;

/** Counts how often rows are asked for, beside the shard. */
@PsFunction("test.visit")
interface Visit {
    record Request(
            TensorId tensor, @ByKey(everySlice = true) LongArray keys) {}

    record Response(
            @Along(value = "keys", width = 1) LongArray counts,
            @Reduce(Reduction.SUM) long all) {}

    default Response handle(Request slice, Shard shard) {
        Visits visits = shard.attachment(Visits.class, Visits::new);
        LongArray counts = LongArray.allocate(slice.keys().length());
        for (int i = 0; i < counts.length(); i++) {
            counts.set(i, visits.byRow.merge(slice.keys().get(i), 1L, Long::sum));
            visits.all++;
        }
        return new Response(counts, visits.all);
    }

    /** The counts of a shard's rows, and of all of them. */
    final class Visits implements Checkpointed {
        private final TreeMap<Long, Long> byRow = new TreeMap<>();
        private long all;

        @Override
        public void saveRow(long key, DataOutput out) throws IOException {
            Long count = byRow.get(key);
            if (count != null) {
                out.writeLong(count);
            }
        }

        @Override
        public void loadRow(long key, DataInput in) throws IOException {
            byRow.put(key, in.readLong());
        }

        @Override
        public void saveTotal(DataOutput out) throws IOException {
            out.writeLong(all);
        }

        @Override
        public void loadTotal(DataInput in) throws IOException {
            all += in.readLong();
        }
    }
}
