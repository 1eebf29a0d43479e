package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.builtin.Optimizers;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that vectors step in place are marked as the others are. */
@Timeout(120)
class MarkedSpansTest {
    private static final int ROWS = 10_000;
    private static final int WIDTH = 16;

    private final RowWrites writes = new RowWrites();
    private final Map<String, FloatArray> columns = new HashMap<>();

    private FloatArray column(String name) {
        return columns.computeIfAbsent(name, any -> {
            ByteBuffer bytes = ByteBuffer.allocateDirect(ROWS * WIDTH * Float.BYTES);
            FloatArray all = FloatArray.view(bytes.order(ByteOrder.LITTLE_ENDIAN));
            return ArrayMemory.marking(all, WIDTH, writes);
        });
    }

    /** A shard with the methods that an optimizer calls. */
    private Shard shard() {
        return (Shard) Proxy.newProxyInstance(
                Shard.class.getClassLoader(),
                new Class<?>[] {Shard.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "rows" -> {
                        if (arguments != null) {
                            LongArray keys = (LongArray) arguments[0];
                            for (int i = 0; i < keys.length(); i++) {
                                ((int[]) arguments[1])[i] = (int) keys.get(i);
                            }
                        }
                        yield ROWS;
                    }
                    case "width" -> WIDTH;
                    case "values" -> column("");
                    case "slot" -> column((String) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    private BitSet marked() {
        return Objects.requireNonNull(writes.take()).rows();
    }

    @Test
    void aSpanMarksItsRowsAndNoOthers() {
        Optimizer momentum = Optimizers.momentum(0.1, 0.9).create();
        while (KernelProviders.of(new Momentum(0.1f, 0.9f)) == null) {
            Thread.onSpinWait(); // the kernel is being compiled
        }
        Shard shard = shard();
        FloatArray update = FloatArray.view(
                ByteBuffer.allocateDirect(ROWS * WIDTH * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN));
        update.fill(1);
        writes.begin();
        momentum.apply(shard, update);
        assertThat(column("").get(ROWS / 2 * WIDTH)).isNegative();
        assertThat(marked().cardinality()).isEqualTo(ROWS);

        BitSet rows = new BitSet();
        new Random(1).ints(5000, 0, ROWS).forEach(rows::set); // enough for a span, if they were one
        LongArray keys = LongArray.wrap(rows.stream().mapToLong(row -> row).toArray());
        momentum.apply(shard, keys, update.slice(0, keys.length() * WIDTH));
        assertThat(marked()).isEqualTo(rows);
    }
}
