package io.psf.gpu.shard;

import io.psf.gpu.Grid;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Stream;
import java.util.Map;

/**
 * Launches psf's kernels, which psf.cu describes. Addresses are of the device. A test compares the signatures with the
 * PTX.
 */
final class Kernels {
    private static final String GENERATOR = "iddlff";
    private static final String RULE = "ffffffffpi";

    /** Blocks for each multiprocessor that step the items which are left. Each of them reads the rows of all. */
    private static final int BLOCKS_OF_REST = 4;

    /** The types of each kernel's parameters, as in {@link Arguments#types}; {@code *} stands for each rule. */
    static final Map<String, String> SIGNATURES = Map.ofEntries(
            Map.entry("psf_fill", "pll" + GENERATOR),
            Map.entry("psf_fill_rows", "ppiip" + GENERATOR),
            Map.entry("psf_rows_in_range", "pillppp"),
            Map.entry("psf_check", "pillp"),
            Map.entry("psf_find", "pillplpp"),
            Map.entry("psf_find_or_insert", "piplpippp"),
            Map.entry("psf_resolve", "pipp"),
            Map.entry("psf_index", "pipl"),
            Map.entry("psf_remove", "piplp"),
            Map.entry("psf_move_keys", "pppipl"),
            Map.entry("psf_move_rows", "pppii"),
            Map.entry("psf_gather", "ppiipp" + GENERATOR),
            Map.entry("psf_scatter", "ppiip"),
            Map.entry("psf_*_all", "ppppplli" + RULE),
            Map.entry("psf_*_rows", "pppppppiiip" + RULE),
            Map.entry("psf_*_rest", "ppppppii" + RULE),
            Map.entry("psf_count", "pi"),
            Map.entry("psf_release", "pippp"));

    /** Receives the launches. */
    @FunctionalInterface
    interface Launcher {
        /** Launches a kernel on the stream of its caller. */
        void launch(String kernel, Grid grid, long[] arguments);
    }

    /**
     * The arrays that a step of an optimizer reads and writes.
     *
     * @param w the values
     * @param first the rule's first state, or 0
     * @param second the rule's second state, or 0
     * @param steps the number of steps of each row, or 0
     * @param corrections Adam's corrections by number of steps, or 0
     * @param width floats in a row
     * @param rule the rule
     */
    record Stepped(long w, long first, long second, long steps, long corrections, int width, RuleKernel rule) {
        private Arguments arrays(Arguments arguments, long update) {
            return arguments
                    .pointer(w)
                    .pointer(update)
                    .pointer(first)
                    .pointer(second)
                    .pointer(steps);
        }

        private Arguments rule(Arguments arguments) {
            for (float each : rule.arguments()) {
                arguments.f32(each);
            }
            return arguments.pointer(corrections).i32(corrections == 0 ? 0 : RuleKernel.KNOWN);
        }
    }

    /**
     * The index of a growing table.
     *
     * @param entries the entries, one more than the mask and one for the key of tag 0
     * @param mask the number of entries that are probed, a power of two, minus 1
     */
    record Index(long entries, long mask) {}

    private final Launcher launcher;
    private final int processors;

    Kernels(Launcher launcher, int processors) {
        this.launcher = launcher;
        this.processors = processors;
    }

    /** Launches the kernels of a module on a stream. */
    Kernels(Module module, Stream stream, int processors) {
        this((kernel, grid, arguments) -> stream.launch(module, kernel, grid, arguments), processors);
    }

    private void launch(String kernel, String signature, long items, Arguments arguments) {
        launch(kernel, signature, Grid.of(items, processors), arguments);
    }

    private void launch(String kernel, String signature, Grid grid, Arguments arguments) {
        if (!arguments.types().equals(SIGNATURES.get(signature))) {
            throw new IllegalStateException("arguments of " + kernel + ": " + arguments.types() + " (expected: "
                    + SIGNATURES.get(signature) + ")");
        }
        launcher.launch(kernel, grid, arguments.bits());
    }

    private void launch(String kernel, long items, Arguments arguments) {
        launch(kernel, kernel, items, arguments);
    }

    /** Writes the initial values of n elements, the first of which has that index in the whole tensor. */
    void fill(long values, long first, long n, Generators generator) {
        launch("psf_fill", n, new Arguments().pointer(values).i64(first).i64(n).generator(generator));
    }

    /** Writes the initial values of the rows from {@code before} to the number of rows in the status. */
    void fillRows(long values, long keys, int before, int most, int width, long status, Generators generator) {
        launch(
                "psf_fill_rows",
                (long) most * width,
                new Arguments()
                        .pointer(values)
                        .pointer(keys)
                        .i32(before)
                        .i32(width)
                        .pointer(status)
                        .generator(generator));
    }

    void rowsInRange(long keys, int n, long begin, long end, long rows, long claims, long status) {
        launch(
                "psf_rows_in_range",
                n,
                new Arguments()
                        .pointer(keys)
                        .i32(n)
                        .i64(begin)
                        .i64(end)
                        .pointer(rows)
                        .pointer(claims)
                        .pointer(status));
    }

    void check(long keys, int n, long begin, long end, long status) {
        launch(
                "psf_check",
                n,
                new Arguments().pointer(keys).i32(n).i64(begin).i64(end).pointer(status));
    }

    void find(long keys, int n, long begin, long end, Index index, long rows, long status) {
        launch(
                "psf_find",
                n,
                new Arguments()
                        .pointer(keys)
                        .i32(n)
                        .i64(begin)
                        .i64(end)
                        .pointer(index.entries())
                        .i64(index.mask())
                        .pointer(rows)
                        .pointer(status));
    }

    void findOrInsert(long keys, int n, Index index, long keysOfRows, int most, long rows, long claims, long status) {
        launch(
                "psf_find_or_insert",
                n,
                new Arguments()
                        .pointer(keys)
                        .i32(n)
                        .pointer(index.entries())
                        .i64(index.mask())
                        .pointer(keysOfRows)
                        .i32(most)
                        .pointer(rows)
                        .pointer(claims)
                        .pointer(status));
    }

    void resolve(long rows, int n, Index index, long claims) {
        launch(
                "psf_resolve",
                n,
                new Arguments().pointer(rows).i32(n).pointer(index.entries()).pointer(claims));
    }

    void index(long keys, int n, Index index) {
        launch(
                "psf_index",
                n,
                new Arguments().pointer(keys).i32(n).pointer(index.entries()).i64(index.mask()));
    }

    void remove(long keys, int n, Index index, long rows) {
        launch(
                "psf_remove",
                n,
                new Arguments()
                        .pointer(keys)
                        .i32(n)
                        .pointer(index.entries())
                        .i64(index.mask())
                        .pointer(rows));
    }

    void moveKeys(long keys, long from, long to, int n, Index index) {
        launch(
                "psf_move_keys",
                n,
                new Arguments()
                        .pointer(keys)
                        .pointer(from)
                        .pointer(to)
                        .i32(n)
                        .pointer(index.entries())
                        .i64(index.mask()));
    }

    void moveRows(long values, long from, long to, int n, int width) {
        launch(
                "psf_move_rows",
                (long) n * width,
                new Arguments().pointer(values).pointer(from).pointer(to).i32(n).i32(width));
    }

    void gather(long values, long rows, int n, int width, long into, long keys, Generators generator) {
        launch(
                "psf_gather",
                (long) n * groups(width),
                new Arguments()
                        .pointer(values)
                        .pointer(rows)
                        .i32(n)
                        .i32(width)
                        .pointer(into)
                        .pointer(keys)
                        .generator(generator));
    }

    void scatter(long values, long rows, int n, int width, long from) {
        launch(
                "psf_scatter",
                (long) n * width,
                new Arguments().pointer(values).pointer(rows).i32(n).i32(width).pointer(from));
    }

    void count(long steps, int rows) {
        launch("psf_count", rows, new Arguments().pointer(steps).i32(rows));
    }

    /** Steps n elements from {@code first} on by an update of n elements. */
    void stepAll(Stepped s, long update, long first, long n) {
        launch(
                "psf_" + s.rule().name() + "_all",
                "psf_*_all",
                (n + 3) / 4,
                s.rule(s.arrays(new Arguments(), update).i64(first).i64(n).i32(s.width())));
    }

    /** Steps the rows of the items {@code [first, first + n)} that have a claim, by an update of n rows. */
    void stepRows(Stepped s, long update, long rows, long claims, int first, int n, long status) {
        launch(
                "psf_" + s.rule().name() + "_rows",
                "psf_*_rows",
                (long) n * groups(s.width()),
                s.rule(s.arrays(new Arguments(), update)
                        .pointer(rows)
                        .pointer(claims)
                        .i32(first)
                        .i32(n)
                        .i32(s.width())
                        .pointer(status)));
    }

    /** Steps the rows of the items that are left, those of a row in order: a row is of one block. */
    void stepRest(Stepped s, long update, long rows, int n) {
        int blocks = Math.max(1, Math.min(n, BLOCKS_OF_REST * processors));
        launch(
                "psf_" + s.rule().name() + "_rest",
                "psf_*_rest",
                new Grid(blocks, Grid.one(s.width()).threads(), 0),
                s.rule(s.arrays(new Arguments(), update).pointer(rows).i32(n).i32(s.width())));
    }

    void release(long rows, int n, long claims, long steps, long status) {
        launch(
                "psf_release",
                n,
                new Arguments()
                        .pointer(rows)
                        .i32(n)
                        .pointer(claims)
                        .pointer(steps)
                        .pointer(status));
    }

    /** The items of a row in a kernel that takes four floats at once where the width allows it. */
    private static int groups(int width) {
        return width % 4 == 0 ? width / 4 : width;
    }
}
