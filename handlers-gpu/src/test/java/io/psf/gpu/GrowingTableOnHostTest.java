package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Range;
import io.psf.api.TensorLayout;
import io.psf.api.array.LongArray;
import io.psf.gpu.HostKernels.Order;
import io.psf.gpu.shard.RuleLaunches;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels of growing tables, executed on the host in any order of their threads. */
@Tag("long")
class GrowingTableOnHostTest {
    /** The key with an entry of its own, since its tag is 0, and the key whose tag is that entry's. */
    private static final long[] SPECIAL = {HostHash.unhash(HostHash.GAMMA), HostHash.unhash(HostHash.GAMMA ^ 1)};

    private static final int WIDTH = 2;

    static Stream<Arguments> rulesAndWidths() {
        return Stream.of(Rule.values())
                .flatMap(rule -> IntStream.of(1, 3, 8)
                        .boxed()
                        .flatMap(width -> Stream.of(Order.values()).map(order -> Arguments.of(rule, width, order))));
    }

    /** Returns n random keys, among them the special ones. */
    private static long[] keys(Random random, int n) {
        return LongStream.concat(LongStream.of(SPECIAL), random.longs(n - 2L)).toArray();
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void eachKeyGetsOneRow(Order order) {
        assertThat(TensorLayout.hash(SPECIAL[0])).isEqualTo(HostHash.GAMMA);
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            try (HostKernels kernels = new HostKernels(order, seed)) {
                HostTable table = new HostTable(kernels, 256, 200);
                long[] distinct = keys(random, 60);
                long[] repeated =
                        random.ints(170, 0, 60).mapToLong(i -> distinct[i]).toArray();
                long[] all = LongStream.concat(LongStream.of(repeated), LongStream.of(distinct))
                        .toArray();
                int[] rows = table.insert(all);
                assertThat(table.status()).isEqualTo(new HostTable.Status(0, 0, 0, 0, 60, 60));
                assertThat(table.usedEntries()).isEqualTo(60);
                assertThat(table.keys()).containsExactlyInAnyOrder(distinct);
                assertRows(table, all, rows);
                assertThat(table.insert(all)).isEqualTo(rows);
                assertThat(table.find(all)).isEqualTo(rows);
                assertThat(table.status()).isEqualTo(new HostTable.Status(0, 0, 0, 0, 60, 60));
            }
        }
    }

    /** Checks that each key has the row which has the key. */
    private static void assertRows(HostTable table, long[] keys, int[] rows) {
        long[] keysOfRows = table.keys();
        for (int i = 0; i < keys.length; i++) {
            assertThat(keysOfRows[rows[i]]).isEqualTo(keys[i]);
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void theKeysOfASliceAreChecked(Order order) {
        Random random = new Random(1);
        try (HostKernels kernels = new HostKernels(order, 1)) {
            HostTable table = new HostTable(kernels, 256, 200);
            long begin = HostTable.END / 4;
            long end = HostTable.END / 4 * 3;
            long[] keys = random.longs(100).toArray();
            keys[50] = HostHash.unhash(begin << 2);
            keys[51] = HostHash.unhash((begin << 2) - 1);
            keys[52] = HostHash.unhash(end << 2);
            keys[53] = HostHash.unhash((end << 2) - 1);
            int first = 0;
            while (owns(keys[first], begin, end)) {
                first++;
            }
            table.begin();
            long address = kernels.copy(keys);
            RuleLaunches.Taken claims = HostClaims.of(kernels, 100);
            table.check(address, 100, begin, end, claims);
            assertThat(100 - table.status().invalid()).isEqualTo(first);
            int[] rows = kernels.ints(table.findOrInsert(address, 100, claims), 100);
            assertThat(rows).containsOnly(HostTable.NONE);
            assertThat(table.status().rows()).isZero();
            assertThat(table.usedEntries()).isZero();

            long[] owned =
                    LongStream.of(keys).filter(key -> owns(key, begin, end)).toArray();
            table.begin();
            table.check(kernels.copy(owned), owned.length, begin, end, claims);
            assertThat(table.status().invalid()).isZero();
            assertThat(owned).contains(keys[50], keys[53]).doesNotContain(keys[51], keys[52]);
            table.begin();
            table.check(kernels.copy(keys[51], keys[52], keys[53]), 3, begin, end, claims);
            assertThat(3 - table.status().invalid()).isZero();
            table.begin();
            table.check(kernels.copy(keys[50], keys[53], keys[52]), 3, begin, end, claims);
            assertThat(3 - table.status().invalid()).isEqualTo(2);
            assertThat(table.insert(owned)).doesNotContain(HostTable.NONE).doesNotHaveDuplicates();
            assertThat(table.find(keys)).contains(HostTable.NONE);
            assertThat(table.status().missing()).isEqualTo(100 - owned.length);
        }
    }

    private static boolean owns(long key, long begin, long end) {
        long position = TensorLayout.position(TensorLayout.hash(key));
        return position >= begin && position < end;
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void aFullTableKeepsTheRowsThatItHas(Order order) {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            try (HostKernels kernels = new HostKernels(order, seed)) {
                HostTable table = new HostTable(kernels, 512, 50);
                long[] kept = keys(random, 30);
                int[] rowsOfKept = table.insert(kept);
                long[] more = random.longs(40).toArray();
                long[] twice = LongStream.concat(LongStream.of(more), LongStream.of(more))
                        .toArray();
                long[] all = LongStream.concat(LongStream.of(twice), LongStream.of(kept))
                        .toArray();
                for (int call = 0; call < 3; call++) {
                    int[] rows = table.insert(all);
                    HostTable.Status status = table.status();
                    assertThat(status.full()).isEqualTo(1);
                    assertThat(status.rows()).isEqualTo(50);
                    assertThat(status.used()).isEqualTo(table.usedEntries());
                    if (order != Order.INTERLEAVED) {
                        assertThat(status.used()).isEqualTo(50);
                    }
                    assertThat(Arrays.copyOfRange(rows, 80, 110)).isEqualTo(rowsOfKept);
                    assertThat(table.keys()).doesNotHaveDuplicates().contains(kept);
                    int[] found = table.find(all);
                    assertThat(IntStream.of(found)
                                    .filter(row -> row == HostTable.NONE)
                                    .count())
                            .isEqualTo(40);
                    for (int i = 0; i < all.length; i++) {
                        assertThat(rows[i]).isIn(HostTable.NONE, found[i]);
                        if (found[i] != HostTable.NONE) {
                            assertThat(table.keys()[found[i]]).isEqualTo(all[i]);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest(name = "{0} {1} wide {2}")
    @MethodSource("rulesAndWidths")
    void updatesByNewKeysWithDuplicatesAreThoseOfTheHost(Rule rule, int width, Order order) {
        Random random = new Random(width);
        try (HostKernels kernels = new HostKernels(order, 9)) {
            HostTable table = new HostTable(kernels, 256, 100);
            HostRule stepped = new HostRule(kernels, rule, new Range(0, 100), width, random, 2);
            long[] distinct = keys(random, 40);
            for (int n : new int[] {9, 40, 60}) {
                long[] keys = random.ints(n, 0, 40).mapToLong(i -> distinct[i]).toArray();
                float[] update = HostRule.gradient(random, n * width);
                table.begin();
                RuleLaunches.Taken claims = HostClaims.of(kernels, n);
                long rows = table.findOrInsert(kernels.copy(keys), n, claims);
                int[] found = table.find(keys);
                long[] asKeys = Arrays.stream(found).asLongStream().toArray();
                stepped.onHost(LongArray.wrap(asKeys), update);
                stepped.stepRows(update, kernels.copy(found), rows, n, table.entries(), claims, table.status);
                stepped.assertEqual();
                assertThat(table.status().duplicates())
                        .isEqualTo(n - (int) Arrays.stream(keys).distinct().count());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void aPushThatDoesNotFitStepsNothing(Order order) {
        Random random = new Random(10);
        try (HostKernels kernels = new HostKernels(order, 10)) {
            HostTable table = new HostTable(kernels, 256, 20);
            HostRule stepped = new HostRule(kernels, Rule.ADAM, new Range(0, 20), 3, random, 2);
            long[] keys = random.ints(70, 0, 30).mapToLong(i -> i).toArray();
            table.begin();
            RuleLaunches.Taken claims = HostClaims.of(kernels, 70);
            long rows = table.findOrInsert(kernels.copy(keys), 70, claims);
            assertThat(table.status().full()).isEqualTo(1);
            stepped.stepRows(HostRule.gradient(random, 210), rows, rows, 70, table.entries(), claims, table.status);
            stepped.assertEqual();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
    void randomOperationsAreThoseOfAMap(int seed) {
        Random random = new Random(seed);
        Order order = Order.values()[seed % Order.values().length];
        HostGenerator generator = new HostGenerator(Distribution.UNIFORM, 0, 1, seed);
        try (HostKernels kernels = new HostKernels(order, seed)) {
            int size = 128;
            HostTable table = new HostTable(kernels, size, 400);
            long values = kernels.allocate(4L * 400 * WIDTH);
            long[] universe = keys(random, 300);
            Map<Long, List<Float>> model = new HashMap<>();
            for (int step = 0; step < 40; step++) {
                int n = 1 + random.nextInt(60);
                long[] some = random.ints(n, 0, 300).mapToLong(i -> universe[i]).toArray();
                if (table.status().used() + n > size / 4 * 3) {
                    size = table.rows() + n > size / 2 ? 2 * size : size;
                    table.rehash(size);
                }
                if (random.nextInt(3) > 0) {
                    table.insert(generator, values, WIDTH, some);
                    LongStream.of(some).forEach(key -> model.putIfAbsent(key, boxed(generator.row(key, WIDTH))));
                } else {
                    int removed = table.remove(values, WIDTH, some);
                    Set<Long> before = new HashSet<>(model.keySet());
                    LongStream.of(some).forEach(model::remove);
                    assertThat(removed).isEqualTo(before.size() - model.size());
                }
                assertContents(table, values, model, universe);
            }
        }
    }

    private static void assertContents(HostTable table, long values, Map<Long, List<Float>> model, long[] universe) {
        assertThat(table.keys())
                .containsExactlyInAnyOrder(
                        model.keySet().stream().mapToLong(key -> key).toArray());
        assertThat(table.status().used()).isEqualTo(table.usedEntries());
        float[] contents = table.kernels.floats(values, table.rows() * WIDTH);
        int[] rows = table.find(universe);
        assertThat(table.status().missing()).isEqualTo(universe.length - model.size());
        for (int i = 0; i < universe.length; i++) {
            List<Float> expected = model.get(universe[i]);
            if (expected == null) {
                assertThat(rows[i]).isEqualTo(HostTable.NONE);
            } else {
                assertThat(boxed(Arrays.copyOfRange(contents, rows[i] * WIDTH, (rows[i] + 1) * WIDTH)))
                        .isEqualTo(expected);
            }
        }
    }

    private static List<Float> boxed(float[] values) {
        return List.of(values[0], values[1]);
    }
}
