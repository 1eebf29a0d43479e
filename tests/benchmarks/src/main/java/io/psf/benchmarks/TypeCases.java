package io.psf.benchmarks;

import io.psf.api.array.FloatType;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Cases of tables whose values are stored or sent in another type than float32, compared with psf's own float32. */
final class TypeCases {
    private static final int WIDTH = 64;
    private static final int OUTSTANDING = 4;

    private TypeCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (boolean push : new boolean[] {false, true}) {
            for (FloatType type : List.of(FloatType.FLOAT16, FloatType.BFLOAT16, FloatType.INT8)) {
                cases.add(of(push, type, type.isHalf() ? type : FloatType.FLOAT32, null));
                if (type.isHalf()) {
                    cases.add(of(push, type, FloatType.FLOAT32, null));
                }
            }
        }
        return cases;
    }

    private static Case of(boolean push, FloatType wire, FloatType storage, @Nullable Goal goal) {
        Goal least = !push && wire == FloatType.FLOAT16 && storage == wire ? Goal.ratioAtLeast(1.6) : goal;
        String name = String.format(
                Locale.ROOT,
                "sparse %s %d wide, %s sent, %s stored, against float32",
                push ? "push" : "pull",
                WIDTH,
                lower(wire),
                lower(storage));
        return Case.of(new Line(name, "Mrows/s", least), bench -> {
            long[][] batches = Keys.UNIFORM.draw(SparseCalls.ROWS, SparseCalls.KEYS);
            TensorSpec spec =
                    TensorSpec.table("typed table", SparseCalls.ROWS, WIDTH).optimizer(Optimizers.sgd(0.01f));
            TensorSpec plain =
                    TensorSpec.table("plain table", SparseCalls.ROWS, WIDTH).optimizer(Optimizers.sgd(0.01f));
            SparseCalls floor = new SparseCalls(bench.worker(), push, plain, batches, OUTSTANDING);
            SparseCalls ours =
                    new SparseCalls(bench.worker(), push, spec.storage(storage).wire(wire), batches, OUTSTANDING);
            return new Against(
                    new Rates(
                            SparseCalls.KEYS / 1e6,
                            2 * OUTSTANDING,
                            n -> Calls.make(floor, n, OUTSTANDING),
                            OUTSTANDING,
                            ours),
                    floor);
        });
    }

    private static String lower(FloatType type) {
        return type.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Closes the floor's table as well. */
    private record Against(Rates rates, SparseCalls floor) implements Sides {
        @Override
        public double[] floor(int times) throws Exception {
            return rates.floor(times);
        }

        @Override
        public double[] ours(int times) throws Exception {
            return rates.ours(times);
        }

        @Override
        public void close() {
            rates.close();
            floor.close();
        }
    }
}
