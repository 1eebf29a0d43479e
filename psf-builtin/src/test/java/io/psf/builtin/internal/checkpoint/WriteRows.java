package io.psf.builtin.internal.checkpoint;

import io.psf.api.Checkpointed;
import io.psf.api.PsFunction;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredShard;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Writes to some rows of each shard, in one of the ways in which a user's function can. */
@PsFunction("test.write.rows")
public interface WriteRows {
    /** The number of ways. */
    int WAYS = 13;

    /**
     * The rows, and the way.
     *
     * @param seed selects the rows and their values
     */
    record Request(TensorId tensor, int way, long seed) {}

    record Response() {}

    default CompletionStage<Response> handle(Request request, StoredShard shard) {
        Random random = new Random(request.seed() * 31 + shard.slice());
        if (request.way() == 0) { // after the handler has returned
            CompletableFuture<Response> answer = new CompletableFuture<>();
            FloatArray early = shard.values(); // the handler holds it
            var unused = shard.after(Duration.ZERO, () -> {
                write(1 + random.nextInt(WAYS - 1), shard, random);
                if (early.length() > 0) {
                    early.set(random.nextInt(early.length()), random.nextFloat());
                }
                answer.complete(new Response());
            });
            return answer;
        }
        write(request.way(), shard, random);
        return CompletableFuture.completedFuture(new Response());
    }

    private static void write(int way, StoredShard shard, Random random) {
        int rows = shard.rows();
        int width = shard.width();
        if (rows < 2) {
            return;
        }
        int row = random.nextInt(rows - 1);
        FloatArray values = shard.values();
        FloatArray some = FloatArray.allocate(2 * width);
        some.fill(random.nextFloat());
        int[] two = {row, row + 1};
        switch (way) {
            case 1 -> values.set(random.nextInt(values.length()), random.nextFloat());
            case 2 -> values.slice(row * width, (row + 2) * width).scale(random.nextFloat());
            case 3 -> shard.values(shard.key(row)).addScaled(random.nextFloat(), some.slice(0, width));
            case 4 -> values.copyRowsFrom(two, 0, 2, width, some.toArray());
            case 5 -> values.scatter(some, two, 0, 2, width);
            case 6 -> values.copyRow(row, values, row + 1, width);
            case 7 -> shard.slot("own", 2).set(2 * row + 1, random.nextFloat());
            case 8 -> shard.storedValues().write(row, some);
            case 9 -> shard.storedValues().write(two, 2, some);
            case 10 -> {
                ByteBuffer bytes = shard.values(shard.key(row)).offHeap(); // of the row that is written to
                if (bytes != null) {
                    bytes.putFloat(0, random.nextFloat());
                }
            }
            case 11 -> {
                long key = random.nextInt(1000);
                if (shard.spec().grows() && shard.owns(key)) {
                    var unused = shard.row(key); // creates it, and writes nothing
                }
            }
            default -> {
                Told told = shard.attachment(Told.class, () -> new Told(shard));
                told.byKey.merge(shard.key(row), 1, Integer::sum);
                shard.changed(row);
            }
        }
    }

    /** The state of a user's function, of which the shard is told. */
    final class Told implements Checkpointed, RowListener {
        private final Shard shard;
        private final TreeMap<Long, Integer> byKey = new TreeMap<>();

        private Told(Shard shard) {
            this.shard = shard;
        }

        @Override
        public boolean tellsChanges() {
            return true;
        }

        @Override
        public void rowRemoved(long key, int row, int last) {
            byKey.remove(key);
        }

        @Override
        public void rowsRemoved() {
            byKey.clear();
        }

        @Override
        public void saveRow(long key, DataOutput out) throws IOException {
            if (byKey.containsKey(key) && shard.find(LongArray.of(key), new int[1]) == 1) {
                out.writeInt(byKey.get(key));
            }
        }

        @Override
        public void loadRow(long key, DataInput in) throws IOException {
            byKey.put(key, in.readInt());
        }
    }
}
