package io.psf.gpu.shard;

/** Launches the kernels that remove rows, and the kernels of the marks of rows. */
final class RemovalKernels {
    /** The digits of 8 bits of a rank by count, and of one by the last push. */
    private static final int DIGITS_BY_COUNT = 8;

    private static final int DIGITS_BY_STEP = 4;
    private static final int DIGITS_OF_KEY = 8;
    private static final int VALUES_OF_DIGIT = 256;

    private final Kernels kernels;

    RemovalKernels(Kernels kernels) {
        this.kernels = kernels;
    }

    /** Tells the rows of keys. */
    void doomKeys(long keys, int n, Index index, Doom doom) {
        kernels.launch(
                "psf_doom_keys",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .index(index)
                        .pointer(doom.rows())
                        .pointer(doom.removal()));
    }

    /** Plans which of n rows take the numbers of the removed rows. */
    void planMoves(Doom doom, int n, long from, long to) {
        kernels.launch(
                "psf_plan_moves",
                n,
                new LaunchArguments()
                        .pointer(doom.rows())
                        .i32(n)
                        .pointer(from)
                        .pointer(to)
                        .pointer(doom.removal()));
    }

    /** Removes the keys of rows from the index. */
    void removeRows(Doom doom, int n, long keysOfRows, Index index) {
        kernels.launch(
                "psf_remove_rows",
                n,
                new LaunchArguments()
                        .pointer(doom.rows())
                        .i32(n)
                        .pointer(keysOfRows)
                        .index(index));
    }

    void keysOf(long keysOfRows, long rows, int n, long keys) {
        kernels.launch(
                "psf_keys_of",
                n,
                new LaunchArguments().pointer(keysOfRows).pointer(rows).i32(n).pointer(keys));
    }

    void moveKeys(long keys, long from, long to, int n, Index index) {
        kernels.launch(
                "psf_move_keys",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .pointer(from)
                        .pointer(to)
                        .i32(n)
                        .pointer(index.entries())
                        .i64(index.mask()));
    }

    void moveRows(Rows of, long from, long to, int n) {
        kernels.launch(
                "psf_move_rows",
                (long) n * of.width(),
                new LaunchArguments()
                        .pointer(of.address())
                        .pointer(from)
                        .pointer(to)
                        .i32(n)
                        .rows(of));
    }

    /** Marks the rows of keys as touched, and finds them unless {@code rows} is 0. */
    void touch(long keys, int n, Index index, Touch touch, long rows, long status) {
        kernels.launch(
                "psf_touch",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .index(index)
                        .pointer(touch.marks())
                        .i32(touch.step())
                        .i32(touch.second())
                        .pointer(rows)
                        .pointer(status));
    }

    /** Marks the rows {@code [begin, end)} as touched once. */
    void setMarks(Touch touch, int begin, int end) {
        kernels.launch(
                "psf_set_marks",
                end - begin,
                new LaunchArguments()
                        .pointer(touch.marks())
                        .i32(begin)
                        .i32(end)
                        .i32(touch.step())
                        .i32(touch.second()));
    }

    void writeMarks(long keys, int n, Index index, long marks, long from) {
        kernels.launch(
                "psf_write_marks",
                n,
                new LaunchArguments()
                        .pointer(keys)
                        .i32(n)
                        .index(index)
                        .pointer(marks)
                        .pointer(from));
    }

    void lowerMarks(long marks, int n, int by) {
        kernels.launch(
                "psf_lower_marks",
                n,
                new LaunchArguments().pointer(marks).i32(n).i32(by));
    }

    /** Tells the rows of n that were last touched before a push, or before a second. */
    void doomIdle(long marks, int n, long beforeStep, long beforeSecond, Doom doom) {
        kernels.launch(
                "psf_doom_idle",
                n,
                new LaunchArguments()
                        .pointer(marks)
                        .i32(n)
                        .i64(beforeStep)
                        .i64(beforeSecond)
                        .pointer(doom.rows())
                        .pointer(doom.removal()));
    }

    /** Tells the rows of the lowest ranks, as {@link io.psf.builtin.policy.MarkMemory#removeLowest} removes them. */
    void doomLowest(Ranked ranked, int most, Doom doom) {
        int byCount = ranked.byCount() ? 1 : 0;
        int digits = DIGITS_OF_KEY + (ranked.byCount() ? DIGITS_BY_COUNT : DIGITS_BY_STEP);
        for (int digit = 0; digit < digits; digit++) {
            kernels.launch("psf_count_digit", ranked.n(), ranked(ranked).pointer(doom.choice()));
            kernels.launch(
                    "psf_pick_digit",
                    VALUES_OF_DIGIT,
                    new LaunchArguments().i32(byCount).i32(most).pointer(doom.choice()));
        }
        kernels.launch(
                "psf_doom_lowest",
                ranked.n(),
                ranked(ranked).pointer(doom.choice()).pointer(doom.rows()).pointer(doom.removal()));
    }

    private static LaunchArguments ranked(Ranked ranked) {
        return new LaunchArguments()
                .pointer(ranked.marks())
                .pointer(ranked.keysOfRows())
                .i32(ranked.n())
                .i32(ranked.byCount() ? 1 : 0)
                .i32(ranked.leftOut());
    }
}
