package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** Rows for tests of checkpoints: drawn ones, and those that a worker sees. */
public final class RowSamples {
    private RowSamples() {}

    /** Returns numbers with the normal distribution. */
    public static float[] random(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    /** Returns a key of a growing table, far from its neighbours. */
    static long key(long i) {
        return i * 0x9e37_79b9L - 40;
    }

    /** Returns the rows that a worker pulls, by key. */
    public static Map<Long, List<Float>> pulled(TensorCaller worker, TensorId tensor) {
        var info = worker.layout(tensor).info();
        LongStream.Builder all = LongStream.builder();
        if (info.grows()) {
            Tensors.keys(worker, tensor).forEach(page -> LongStream.of(page).forEach(all));
        } else {
            LongStream.range(0, info.rows()).forEach(all);
        }
        long[] keys = all.build().toArray();
        int width = info.width();
        float[] values = new float[keys.length * width];
        Tensors.pullRows(worker, tensor, keys, values).await();
        Map<Long, List<Float>> rows = new TreeMap<>();
        for (int i = 0; i < keys.length; i++) {
            rows.put(keys[i], list(Arrays.copyOfRange(values, i * width, (i + 1) * width)));
        }
        return rows;
    }

    public static List<Float> list(float[] values) {
        List<Float> list = new ArrayList<>();
        for (float each : values) {
            list.add(each);
        }
        return list;
    }
}
