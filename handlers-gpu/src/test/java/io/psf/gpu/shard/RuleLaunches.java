package io.psf.gpu.shard;

import io.psf.api.array.FloatType;
import io.psf.builtin.optimizer.Correction;
import io.psf.builtin.optimizer.Gradients;
import io.psf.builtin.optimizer.Kernel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Launches the kernels of a formula with the arguments that they have on a device. For tests of other packages. */
public final class RuleLaunches {
    private final Kernels kernels;

    /** Receives the launches. */
    @FunctionalInterface
    public interface Launcher {
        /**
         * Launches a kernel.
         *
         * @param types a letter for each argument: i int, l an integer of 64 bits or an address, f float, d double
         * @param hasBarriers true if the threads of a block wait for each other
         */
        void launch(String kernel, String types, boolean hasBarriers, long[] bits);
    }

    /**
     * The arrays that a formula steps, by their addresses.
     *
     * @param w the values
     * @param first the first state, or 0
     * @param second the second state, or 0
     * @param ofRows the number of steps of each row, or the state with one float for each row, or 0
     * @param stepsOfAll the number of steps of all rows with the coming one, where {@code ofRows} is 0
     * @param corrections the table of {@link #corrections}, or 0
     * @param known the number of steps that the table has
     * @param width floats in a row
     */
    public record Columns(
            long w, long first, long second, long ofRows, float stepsOfAll, long corrections, int known, int width) {
        Stepped by(RuleKernel rule) {
            Rows of = new Rows(w, width, FloatType.FLOAT32);
            return new Stepped(of, first, second, ofRows, stepsOfAll, new Corrections(corrections, known), rule);
        }
    }

    /**
     * The claims of a push by key.
     *
     * @param table the address of the hash table, or 0
     * @param mask the number of its entries minus 1
     */
    public record Taken(long table, int mask) {
        /** Returns the number of entries for n items. */
        public static int entriesFor(int n) {
            return Claims.entriesFor(n);
        }

        Claims claims() {
            return new Claims(table, mask);
        }
    }

    /** Creates launches, which a launcher executes. */
    public RuleLaunches(Launcher launcher) {
        this.kernels = new Kernels(
                (kernel, grid, bits) -> launcher.launch(kernel, types(kernel), kernel.endsWith("_rest"), bits), 4);
    }

    private static String types(String kernel) {
        String own = Signatures.ALL.get(kernel);
        String types = own != null ? own : Signatures.ALL.get("psf_*" + kernel.substring(kernel.lastIndexOf('_')));
        return Objects.requireNonNull(types).replace('p', 'l');
    }

    /** Returns the corrections of a formula; an empty array if it has none. */
    public static double[] corrections(Kernel formula, int known) {
        Correction correction = RuleKernel.of(formula, null, 1).correction();
        return correction == null ? new double[0] : RuleKernel.corrections(correction, known);
    }

    /** Returns the slot with one float for each row; null if the formula has none. */
    public static @Nullable String ofRows(Kernel formula) {
        return RuleKernel.of(formula, null, 1).ofRows();
    }

    /** Counts a step of every row. */
    public void count(long steps, int rows) {
        kernels.count(steps, rows);
    }

    /** Tells the first item of each row. */
    public void mark(long rows, int n, long entries, Taken claims, long steps, long status) {
        kernels.mark(rows, n, claims.table() == 0 ? 0 : entries, claims.claims(), steps, status);
    }

    /** Adds up squares, one sum for each thread. */
    public void squaredNorm(@Nullable Gradients gradients, long update, long n, long sums) {
        kernels.squaredNorm(update, n, Stepped.clip(gradients), sums);
    }

    /** Adds n sums to m sums. */
    public void addUp(long sums, long n, long into, int m) {
        kernels.addUp(sums, n, into, m);
    }

    /** Adds k sums, whose parts take turns. */
    public static double[] fold(double[] parts, int k) {
        return DeviceSums.fold(parts, k);
    }

    /** Returns the kernels of a step. */
    public Rule rule(Kernel formula, @Nullable Gradients gradients, int steps) {
        return new Rule(kernels, RuleKernel.of(formula, gradients, steps));
    }

    /** The kernels of a step. */
    public static final class Rule {
        private final Kernels kernels;
        private final RuleKernel rule;

        private Rule(Kernels kernels, RuleKernel rule) {
            this.kernels = kernels;
            this.rule = rule;
        }

        /** Adds up LAMB's norms of elements. */
        public void sumsAll(Columns stepped, long update, long first, long n, long sums) {
            kernels.lambSumsAll(stepped.by(rule), update, first, n, sums);
        }

        /** Adds up LAMB's norms of the rows of items. */
        public void sumsRows(Columns stepped, long update, long rows, int first, int n, long sums) {
            kernels.lambSumsRows(stepped.by(rule), update, rows, first, n, sums);
        }

        /** Steps n rows from {@code row} on, as {@code psf_*_all}. */
        public void all(Columns stepped, long update, long row, long n) {
            kernels.stepAll(stepped.by(rule), update, row, n);
        }

        /** Steps the rows of items, as {@code psf_*_rows}. */
        public void rows(Columns stepped, long update, long rows, int first, int n, long status) {
            kernels.stepRows(stepped.by(rule), update, rows, first, n, status);
        }

        /** Steps the items that are left, as {@code psf_*_rest}. */
        public void rest(Columns stepped, long update, long rows, int n) {
            kernels.stepRest(stepped.by(rule), update, rows, n);
        }
    }
}
