package io.psf.benchmarks;

import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Cases of rows of a table over the wire, compared with one thread that reads or steps the same rows of an array. */
final class SparseCases {
    static final String UNIT = "Mrows/s";

    private static final float RATE = 0.01f;

    private SparseCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (boolean push : new boolean[] {false, true}) {
            for (int width : new int[] {16, 64}) {
                for (Keys keys : Keys.values()) {
                    for (int outstanding : new int[] {1, 4}) {
                        String name = name(push ? "push" : "pull", width, keys, outstanding);
                        Goal goal = keys == Keys.UNIFORM ? goal(width, outstanding) : null;
                        cases.add(of(
                                name, goal, push, SparseCalls.table(width, Optimizers.sgd(RATE)), keys, outstanding));
                    }
                }
            }
        }
        return cases;
    }

    /** Returns the name of a case of pushes or pulls. */
    static String name(String call, int width, Keys keys, int outstanding) {
        return String.format(Locale.ROOT, "sparse %s %d wide, %s, %d outstanding", call, width, keys, outstanding);
    }

    private static Goal goal(int width, int outstanding) {
        return Goal.ratioAtLeast(outstanding == 1 ? 0.45 : width == 16 ? 0.7 : 0.6);
    }

    static Case of(String name, @Nullable Goal goal, boolean push, TensorSpec table, Keys keys, int outstanding) {
        return Case.of(new Line(name, UNIT, goal), bench -> {
            int width = table.tensor().width();
            long[][] batches = keys.draw(SparseCalls.ROWS, SparseCalls.KEYS);
            return new Rates(
                    SparseCalls.KEYS / 1e6,
                    2 * outstanding,
                    new Floor(bench.table(width), width, push, batches, new float[SparseCalls.KEYS * width]),
                    outstanding,
                    new SparseCalls(bench.worker(), push, table, batches, outstanding));
        });
    }

    /** Reads or steps the same rows on one thread. */
    private record Floor(float[] table, int width, boolean push, long[][] keys, float[] values) implements Rates.Work {
        @Override
        public void run(int times) {
            for (int i = 0; i < times; i++) {
                if (push) {
                    Floors.scatter(table, width, keys[i % keys.length], values, RATE);
                } else {
                    Floors.gather(table, width, keys[i % keys.length], values);
                }
            }
        }
    }
}
