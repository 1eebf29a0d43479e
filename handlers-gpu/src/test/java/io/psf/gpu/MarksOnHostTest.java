package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.gpu.HostKernels.Order;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels of the marks of rows, executed on the host in any order of their threads, against sorted arrays. */
class MarksOnHostTest {
    private static final int ROWS = 300;

    /** A table whose rows have random marks, many of them equal. */
    private static final class Marked {
        final int[] steps = new int[ROWS];
        final int[] seconds = new int[ROWS];
        final int[] counts = new int[ROWS];
        final HostTable table;
        final long marks;
        final long[] keys;

        Marked(HostKernels kernels, Random random) {
            table = new HostTable(kernels, 1024, ROWS);
            table.insert(random.longs(ROWS).toArray());
            keys = table.keys();
            int bound = new int[] {3, 40, 1 << 20, Integer.MAX_VALUE}[random.nextInt(4)];
            int[] all = new int[3 * ROWS];
            for (int row = 0; row < ROWS; row++) {
                all[3 * row] = steps[row] = random.nextInt(bound);
                all[3 * row + 1] = seconds[row] = random.nextInt(bound);
                all[3 * row + 2] = counts[row] = 1 + random.nextInt(bound);
            }
            marks = kernels.copy(all);
        }

        Set<Long> left() {
            return LongStream.of(table.keys()).boxed().collect(Collectors.toSet());
        }

        Set<Long> others(Set<Integer> removed) {
            return IntStream.range(0, ROWS)
                    .filter(row -> !removed.contains(row))
                    .mapToObj(row -> keys[row])
                    .collect(Collectors.toSet());
        }

        void assertMarksFollowTheirRows(HostKernels kernels) {
            int[] moved = kernels.ints(marks, 3 * table.rows());
            long[] now = table.keys();
            for (int row = 0; row < now.length; row++) {
                int before = 0;
                while (keys[before] != now[row]) {
                    before++;
                }
                assertThat(moved[3 * row]).isEqualTo(steps[before]);
                assertThat(moved[3 * row + 2]).isEqualTo(counts[before]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23})
    void theRowsOfTheLowestRanksAreThoseOfTheSortedOnes(int seed) {
        Random random = new Random(seed);
        Order order = Order.values()[seed % Order.values().length];
        for (int byCount = 0; byCount < 2; byCount++) {
            try (HostKernels kernels = new HostKernels(order, seed)) {
                Marked m = new Marked(kernels, random);
                int leftOut = random.nextBoolean() ? -1 : m.steps[0];
                int most = random.nextInt(3) == 0 ? 2 * ROWS : 1 + random.nextInt(ROWS);
                Comparator<Integer> byStep = Comparator.comparing(row -> m.steps[row]);
                Comparator<Integer> byRank = byCount == 0
                        ? byStep
                        : Comparator.<Integer, Integer>comparing(row -> m.counts[row])
                                .thenComparing(byStep);
                Set<Integer> lowest = IntStream.range(0, ROWS)
                        .filter(row -> m.steps[row] != leftOut)
                        .boxed()
                        .sorted(byRank.thenComparing(row -> m.keys[row]))
                        .limit(most)
                        .collect(Collectors.toCollection(HashSet::new));

                long choice = kernels.allocate(1056);
                long of = m.table.keysOfRows;
                for (int digit = 0; digit < (byCount == 0 ? 12 : 16); digit++) {
                    kernels.launch("psf_count_digit", m.marks, of, ROWS, byCount, leftOut, choice);
                    kernels.launch("psf_pick_digit", "iil", true, new long[] {byCount, most, choice});
                }
                HostTable.Doom doom = m.table.doom();
                kernels.launch(
                        "psf_doom_lowest", m.marks, of, ROWS, byCount, leftOut, choice, doom.rows(), doom.removal());
                assertThat(m.table.remove(doom, m.marks, 3)).isEqualTo(lowest.size());
                assertThat(m.left()).isEqualTo(m.others(lowest));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void idleRowsAreThoseBeforeAPushOrASecond(Order order) {
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            try (HostKernels kernels = new HostKernels(order, seed)) {
                Marked m = new Marked(kernels, random);
                long beforeStep = seed % 3 == 0 ? Long.MIN_VALUE : m.steps[1];
                long beforeSecond = seed % 3 == 1 ? Long.MIN_VALUE : m.seconds[2];
                IntPredicate isIdle = row -> m.steps[row] < beforeStep || m.seconds[row] < beforeSecond;
                Set<Integer> idle =
                        IntStream.range(0, ROWS).filter(isIdle).boxed().collect(Collectors.toSet());
                HostTable.Doom doom = m.table.doom();
                kernels.launch("psf_doom_idle", m.marks, ROWS, beforeStep, beforeSecond, doom.rows(), doom.removal());
                assertThat(m.table.remove(doom, m.marks, 3)).isEqualTo(idle.size());
                assertThat(m.left()).isEqualTo(m.others(idle));
                m.assertMarksFollowTheirRows(kernels);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void aTouchCountsEachKeyAndStaysAtTheGreatestInt(Order order) {
        Random random = new Random(1);
        try (HostKernels kernels = new HostKernels(order, 1)) {
            Marked m = new Marked(kernels, random);
            kernels.write(m.marks + 12L * 5 + 8, Integer.MAX_VALUE - 1);
            long[] touched = {m.keys[5], 77, m.keys[5], m.keys[9], m.keys[5], 78};
            long rows = kernels.allocate(4L * touched.length);
            long of = kernels.copy(touched);
            m.table.begin();
            kernels.launch(
                    "psf_touch", of, 6, m.table.entries(), m.table.mask(), m.marks, 1000, 2000, rows, m.table.status);
            assertThat(kernels.ints(rows, 6)).containsExactly(5, -1, 5, 9, 5, -1);
            assertThat(m.table.status().missing()).isEqualTo(2);
            assertThat(kernels.ints(m.marks + 12L * 5, 3)).containsExactly(1000, 2000, Integer.MAX_VALUE);
            assertThat(kernels.ints(m.marks + 12L * 9, 3)).containsExactly(1000, 2000, m.counts[9] + 1);
            assertThat(kernels.ints(m.marks + 12L * 10, 3)).containsExactly(m.steps[10], m.seconds[10], m.counts[10]);
            kernels.write(m.table.status, 1);
            kernels.launch(
                    "psf_touch", of, 6, m.table.entries(), m.table.mask(), m.marks, 3000, 3000, 0L, m.table.status);
            assertThat(kernels.ints(m.marks + 12L * 9, 1))
                    .as("a key is not owned")
                    .containsExactly(1000);
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void marksAreSetWrittenAndLowered(Order order) {
        try (HostKernels kernels = new HostKernels(order, 1)) {
            Marked m = new Marked(kernels, new Random(2));
            kernels.launch("psf_set_marks", m.marks, 250, 280, 7, 8);
            assertThat(kernels.ints(m.marks + 12L * 249, 6))
                    .containsExactly(m.steps[249], m.seconds[249], m.counts[249], 7, 8, 1);
            assertThat(kernels.ints(m.marks + 12L * 279, 4)).containsExactly(7, 8, 1, m.steps[280]);
            long of = kernels.copy(m.keys[3], 5, m.keys[1]);
            long from = kernels.copy(1, 2, 3, 4, 5, 6, 7, 8, 9);
            kernels.launch("psf_write_marks", of, 3, m.table.entries(), m.table.mask(), m.marks, from);
            assertThat(kernels.ints(m.marks + 12L, 9))
                    .containsExactly(7, 8, 9, m.steps[2], m.seconds[2], m.counts[2], 1, 2, 3);
            kernels.launch("psf_lower_marks", m.marks, ROWS, 3);
            assertThat(kernels.ints(m.marks + 12L, 9))
                    .containsExactly(4, 8, 9, Math.max(0, m.steps[2] - 3), m.seconds[2], m.counts[2], 0, 2, 3);
        }
    }
}
