package io.psf.gpu.shard;

import io.psf.api.Range;
import io.psf.gpu.Grid;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Stream;

/**
 * Launches psf's kernels, which psf.cu describes. Addresses are of the device. A test compares the signatures with the
 * PTX.
 */
final class Kernels {
    /** Blocks for each multiprocessor that step the items which are left. Each of them reads the rows of all. */
    private static final int BLOCKS_OF_REST = 4;

    /** Blocks for each multiprocessor that add up. Each of their threads has sums of its own. */
    private static final int BLOCKS_OF_SUMS = 4;

    /** Receives the launches. */
    @FunctionalInterface
    interface Launcher {
        /** Launches a kernel on the stream of its caller. */
        void launch(String kernel, Grid grid, long[] arguments);
    }

    private final Launcher launcher;
    private final int processors;
    private final RemovalKernels removal = new RemovalKernels(this);

    Kernels(Launcher launcher, int processors) {
        this.launcher = launcher;
        this.processors = processors;
    }

    /** Launches the kernels of a module on a stream. */
    Kernels(Module module, Stream stream, int processors) {
        this((kernel, grid, arguments) -> stream.launch(module, kernel, grid, arguments), processors);
    }

    /** Returns the kernels that remove rows, and the kernels of the marks of rows. */
    RemovalKernels removal() {
        return removal;
    }

    private void launch(String kernel, String signature, long items, LaunchArguments arguments) {
        launch(kernel, signature, Grid.of(items, processors), arguments);
    }

    void launch(String kernel, String signature, Grid grid, LaunchArguments arguments) {
        if (!arguments.types().equals(Signatures.ALL.get(signature))) {
            throw new IllegalStateException("arguments of " + kernel + ": " + arguments.types() + " (expected: "
                    + Signatures.ALL.get(signature) + ")");
        }
        launcher.launch(kernel, grid, arguments.bits());
    }

    /** Launches a kernel of which each thread takes items of its own. */
    void launch(String kernel, long items, LaunchArguments arguments) {
        launch(kernel, kernel, items, arguments);
    }

    /** Writes the initial values of n elements, the first of which has that index in the whole tensor. */
    void fill(Rows of, long first, long n, Generators generator) {
        launch(
                "psf_fill",
                n,
                new LaunchArguments()
                        .pointer(of.address())
                        .i64(first)
                        .i64(n)
                        .i32(of.storage())
                        .generator(generator));
    }

    /** Stores n elements of float32 from element {@code first} on. */
    void encode(Rows of, long first, long from, long n) {
        launch("psf_encode", n, converted(of, first, from, n));
    }

    /** Reads n elements from element {@code first} on as float32. */
    void decode(Rows of, long first, long into, long n) {
        launch("psf_decode", n, converted(of, first, into, n));
    }

    private static LaunchArguments converted(Rows of, long first, long floats, long n) {
        return new LaunchArguments()
                .pointer(of.address())
                .i64(first)
                .pointer(floats)
                .i64(n)
                .i32(of.storage());
    }

    /**
     * Reads n values of INT8.
     *
     * @param block the number of values that share a factor
     * @param first the place of the first one in its block
     */
    void decodeBytes(long values, long factors, int block, int first, long into, long n) {
        launch(
                "psf_decode_bytes",
                n,
                new LaunchArguments()
                        .pointer(values)
                        .pointer(factors)
                        .i32(block)
                        .i32(first)
                        .pointer(into)
                        .i64(n));
    }

    /** Converts n values to INT8, by blocks. */
    void encodeBytes(long from, long n, int block, long factors, long values) {
        launch(
                "psf_encode_bytes",
                (n + block - 1) / block,
                new LaunchArguments()
                        .pointer(from)
                        .i64(n)
                        .i32(block)
                        .pointer(factors)
                        .pointer(values));
    }

    void rowsInRange(long keys, int n, Range range, long rows, Claims claims, long status) {
        launch(
                "psf_rows_in_range",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .range(range)
                        .pointer(rows)
                        .claims(claims)
                        .pointer(status));
    }

    /** Checks that a slice owns all keys, and empties the claims. */
    void check(long keys, int n, Range range, Claims claims, long status) {
        launch(
                "psf_check",
                Math.max(n, claims.there() ? claims.mask() + 1L : 0),
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .range(range)
                        .pointer(status)
                        .claims(claims));
    }

    void find(long keys, int n, Range range, Index index, long rows, long status) {
        launch(
                "psf_find",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .range(range)
                        .index(index)
                        .pointer(rows)
                        .pointer(status));
    }

    /**
     * Finds rows, and creates missing ones. A block adds its new rows to the status at once, so each thread takes one
     * key.
     */
    void findOrInsert(long keys, int n, Index index, NewRows created, long rows, Claims claims, long status) {
        launch(
                "psf_find_or_insert",
                "psf_find_or_insert",
                Grid.once((long) n * created.spread(n)),
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .index(index)
                        .pointer(created.keys())
                        .i32(created.most())
                        .pointer(rows)
                        .claims(claims)
                        .pointer(status)
                        .pointer(created.of().address())
                        .rows(created.of())
                        .i32(created.spread(n))
                        .generator(created.generator()));
    }

    void resolve(long rows, int n, Index index) {
        launch("psf_resolve", n, new LaunchArguments().pointer(rows).i32(n).pointer(index.entries()));
    }

    /**
     * Tells which item steps each row, and counts the steps.
     *
     * @param entries the entries of the index if the items have entries in the place of rows, or 0
     * @param steps the number of steps of each row, or 0
     */
    void mark(long rows, int n, long entries, Claims claims, long steps, long status) {
        launch(
                "psf_mark",
                n,
                new LaunchArguments()
                        .pointer(rows)
                        .i32(n)
                        .pointer(entries)
                        .claims(claims)
                        .pointer(steps)
                        .pointer(status));
    }

    void index(long keys, int n, Index index) {
        launch(
                "psf_index",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .pointer(index.entries())
                        .i64(index.mask()));
    }

    /** Copies rows of a table that does not grow to {@code into}, one after the other. */
    void pullRange(Items items, Range range, Rows of, long into, long status) {
        launchParts(
                "psf_pull_range",
                items.n(),
                of.width(),
                pulled(of, items).range(range).rows(of).pointer(into).pointer(status));
    }

    /**
     * Copies rows of a growing table to {@code into}, one after the other, and the row of each item to {@code rows}.
     */
    void pullIndex(Items items, Range range, Index index, Rows of, long into, long rows, long status) {
        launchParts(
                "psf_pull_index",
                items.n(),
                of.width(),
                pulled(of, items)
                        .range(range)
                        .index(index)
                        .rows(of)
                        .pointer(into)
                        .pointer(rows)
                        .pointer(status));
    }

    private static LaunchArguments pulled(Rows of, Items items) {
        return new LaunchArguments()
                .pointer(of.address())
                .pointer(items.keys())
                .i32(items.all())
                .i32(items.first())
                .i32(items.n());
    }

    /** Launches a kernel of which each thread copies two parts of rows, and ends: its loads are in flight together. */
    private void launchParts(String kernel, int n, int width, LaunchArguments arguments) {
        launch(kernel, kernel, Grid.once(((long) n * groups(width) + 1) / 2), arguments);
    }

    /** Writes the initial values of the items that have no row to {@code into}. */
    void pullMissing(long rows, Items items, Rows of, long into, long status, Generators generator) {
        launch(
                "psf_pull_missing",
                (long) items.n() * of.width(),
                new LaunchArguments()
                        .pointer(rows)
                        .pointer(items.keys())
                        .i32(items.first())
                        .i32(items.n())
                        .rows(of)
                        .pointer(into)
                        .pointer(status)
                        .generator(generator));
    }

    /** Copies the status to memory of the host, and resets the words of the call. */
    void end(long status, long into) {
        launch("psf_end", 6, new LaunchArguments().pointer(status).pointer(into));
    }

    void scatter(Rows of, long rows, int n, long from) {
        launch(
                "psf_scatter",
                (long) n * of.width(),
                new LaunchArguments()
                        .pointer(of.address())
                        .pointer(rows)
                        .i32(n)
                        .i32(of.width())
                        .pointer(from)
                        .i32(of.storage()));
    }

    void count(long steps, int rows) {
        launch("psf_count", rows, new LaunchArguments().pointer(steps).i32(rows));
    }

    /** Steps n rows from {@code row} on by an update of n rows. */
    void stepAll(Stepped s, long update, long row, long rows) {
        long n = rows * s.width();
        if (s.rule().addsSquares()) {
            LaunchArguments arrays =
                    new LaunchArguments().pointer(s.w()).pointer(update).pointer(s.ofRows());
            launch("psf_add_squares_all", rows, s.rule(arrays.i64(row).i64(rows).i32(s.width())));
        }
        launch(
                "psf_" + s.rule().name() + "_all",
                "psf_*_all",
                (n + 3) / 4,
                s.rule(s.arrays(new LaunchArguments(), update).i64(row).i64(n).i32(s.width())));
    }

    /** Steps the rows of the items {@code [first, first + n)} by an update of n rows. */
    void stepRows(Stepped s, long update, long rows, int first, int n, long status) {
        if (s.rule().addsSquares()) {
            LaunchArguments arrays =
                    new LaunchArguments().pointer(s.w()).pointer(update).pointer(s.ofRows());
            launch(
                    "psf_add_squares_rows",
                    n,
                    s.rule(arrays.pointer(rows).i32(first).i32(n).i32(s.width()).pointer(status)));
        }
        launch(
                "psf_" + s.rule().name() + "_rows",
                "psf_*_rows",
                (long) n * groups(s.width()),
                s.rule(s.arrays(new LaunchArguments(), update)
                        .pointer(rows)
                        .i32(first)
                        .i32(n)
                        .i32(s.width())
                        .pointer(status)));
    }

    /** Steps the rows of the items that are left. The items of a row are stepped in order, by one block. */
    void stepRest(Stepped s, long update, long rows, int n) {
        int blocks = Math.max(1, Math.min(n, BLOCKS_OF_REST * processors));
        launch(
                "psf_" + s.rule().name() + "_rest",
                "psf_*_rest",
                new Grid(blocks, Grid.one(s.width()).threads(), 0),
                s.rule(s.arrays(new LaunchArguments(), update)
                        .pointer(rows)
                        .i32(n)
                        .i32(s.width())));
    }

    /** Returns the number of threads that add up, at most. */
    int threadsOfSums() {
        return gridOfSums(Long.MAX_VALUE / 2).blocks() * gridOfSums(1).threads();
    }

    private Grid gridOfSums(long items) {
        Grid grid = Grid.of(items, processors);
        return new Grid(Math.min(grid.blocks(), BLOCKS_OF_SUMS * processors), grid.threads(), 0);
    }

    private void sum(String kernel, long items, LaunchArguments arguments) {
        launch(kernel, kernel, gridOfSums(items), arguments);
    }

    /** Adds the squares of n elements, each limited to [-clip, clip], to one sum for each thread. */
    void squaredNorm(long update, long n, float clip, long sums) {
        sum(
                "psf_squared_norm",
                n,
                new LaunchArguments().pointer(update).i64(n).f32(clip).pointer(sums));
    }

    /** Adds LAMB's norms of n elements from {@code first} on to two sums for each thread. */
    void lambSumsAll(Stepped s, long update, long first, long n, long sums) {
        LaunchArguments arrays = s.arrays(new LaunchArguments(), update);
        sum(
                "psf_lamb_sums_all",
                n,
                s.rule(arrays.i64(first).i64(n).i32(s.width())).pointer(sums));
    }

    /** Adds LAMB's norms of the rows of the items {@code [first, first + n)} to two sums for each thread. */
    void lambSumsRows(Stepped s, long update, long rows, int first, int n, long sums) {
        LaunchArguments arrays = s.arrays(new LaunchArguments(), update);
        sum(
                "psf_lamb_sums_rows",
                (long) n * s.width(),
                s.rule(arrays.pointer(rows).i32(first).i32(n).i32(s.width())).pointer(sums));
    }

    /** Adds n sums to m sums: sum i takes each sum whose index is i modulo m. */
    void addUp(long sums, long n, long into, int m) {
        launch(
                "psf_add_up",
                m,
                new LaunchArguments().pointer(sums).i64(n).pointer(into).i32(m));
    }

    /** The items of a row in a kernel that takes four floats at once where the width allows it. */
    private static int groups(int width) {
        return width % 4 == 0 ? width / 4 : width;
    }
}
