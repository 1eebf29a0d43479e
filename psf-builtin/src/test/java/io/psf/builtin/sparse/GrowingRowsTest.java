package io.psf.builtin.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Laws;
import io.psf.builtin.Optimizers;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Finding, removing and listing the rows of a table that grows. */
class GrowingRowsTest {
    private static final TensorId T = TensorId.of("table");
    private static final int WIDTH = 2;

    private static PsfTest<FindRows.Request, FindRows.Response> table() {
        return PsfTest.of(FindRowsPsf.bind(new FindRows() {}))
                .and(RemoveRowsPsf.bind(new RemoveRows() {}))
                .and(ListKeysPsf.bind(new ListKeys() {}))
                .and(SparsePushPsf.bind(new SparsePush() {}))
                .and(SparsePullPsf.bind(new SparsePull() {}))
                .and(SparsePushPullPsf.bind(new SparsePushPull() {}))
                .growing(T, WIDTH);
    }

    private static FloatArray ones(int rows) {
        float[] ones = new float[rows * WIDTH];
        Arrays.fill(ones, 1);
        return FloatArray.wrap(ones);
    }

    private static void push(TestCluster cluster, long... keys) {
        SparsePushPsf.stub(cluster)
                .call(T, LongArray.wrap(keys), ones(keys.length))
                .await();
    }

    private static byte[] find(TestCluster cluster, long... keys) {
        return FindRowsPsf.stub(cluster)
                .call(T, LongArray.wrap(keys))
                .await()
                .present()
                .toArray();
    }

    private static long remove(TestCluster cluster, long... keys) {
        return RemoveRowsPsf.stub(cluster).call(T, LongArray.wrap(keys)).await().removed();
    }

    private static float[] pull(TestCluster cluster, long... keys) {
        return SparsePullPsf.stub(cluster)
                .call(T, LongArray.wrap(keys))
                .await()
                .values()
                .toArray();
    }

    private static long[] list(TestCluster cluster, int most) {
        List<Long> keys = new ArrayList<>();
        new KeyPages(cluster, T, most).forEachRemaining(page -> {
            assertThat(page.length).isLessThanOrEqualTo(most * cluster.slices());
            for (long key : page) {
                keys.add(key);
            }
        });
        return keys.stream().mapToLong(key -> key).sorted().toArray();
    }

    @Test
    void aPullOrAQuestionMakesNoRow() {
        byte[] present = table().sameOnAnySlices(cluster -> {
            assertThat(pull(cluster, 5, -5, 5)).containsOnly(0);
            assertThat(find(cluster, 5, -5)).containsOnly(0);
            assertThat(cluster.keys(T)).isEmpty();
            push(cluster, 5, Long.MIN_VALUE);
            assertThat(pull(cluster, 6, 5)).containsExactly(0, 0, 1, 1);
            float[] values = SparsePushPullPsf.stub(cluster)
                    .call(T, LongArray.of(8), ones(1), LongArray.of(9, 8, 5))
                    .await()
                    .values()
                    .toArray();
            assertThat(values).containsExactly(0, 0, 1, 1, 1, 1);
            assertThat(cluster.keys(T)).containsExactly(Long.MIN_VALUE, 5, 8);
            return find(cluster, 7, 5, 5, Long.MIN_VALUE, 0, 9, 8);
        });
        assertThat(present).containsExactly(0, 1, 1, 1, 0, 0, 1);
    }

    @Test
    void rowsThatAreRemovedAreGoneAndBeginAnew() {
        long removed = table().optimizer(Optimizers.adam(0.1).create()).sameOnAnySlices(cluster -> {
            push(cluster, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1);
            push(cluster, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1);
            float[] twice = pull(cluster, 9);
            assertThat(remove(cluster, 100, 101)).isZero();
            long gone = remove(cluster, 2, 4, 4, 100, 9, -1);
            assertThat(find(cluster, 1, 2, 3, 4, 9, -1)).containsExactly(1, 0, 1, 0, 0, 0);
            assertThat(pull(cluster, 9, 8)).containsExactly(0, 0, twice[0], twice[1]);
            push(cluster, 9);
            push(cluster, 9);
            assertThat(pull(cluster, 9)).as("with a moment that begins anew").isEqualTo(twice);
            return gone;
        });
        assertThat(removed).isEqualTo(4);
    }

    @Test
    void randomCallsAgreeWithAMapOnAnySlices() {
        for (int seed = 0; seed < Laws.cases(3); seed++) {
            int start = seed;
            long[] keys = table().sameOnAnySlices(cluster -> {
                Random random = new Random(start);
                TreeMap<Long, Float> expected = new TreeMap<>();
                for (int step = 0; step < 30; step++) {
                    long[] some = random.longs(random.nextInt(40), -30, 30).toArray();
                    if (random.nextInt(3) == 0) {
                        long there = LongStream.of(some)
                                .distinct()
                                .filter(expected::containsKey)
                                .count();
                        assertThat(remove(cluster, some)).isEqualTo(there);
                        LongStream.of(some).forEach(expected::remove);
                    } else {
                        push(cluster, some);
                        LongStream.of(some).forEach(key -> expected.merge(key, 1f, Float::sum));
                    }
                    long[] asked = random.longs(20, -30, 30).toArray();
                    byte[] present = find(cluster, asked);
                    float[] values = pull(cluster, asked);
                    for (int i = 0; i < asked.length; i++) {
                        assertThat(present[i]).isEqualTo((byte) (expected.containsKey(asked[i]) ? 1 : 0));
                        assertThat(values[i * WIDTH]).isEqualTo(expected.getOrDefault(asked[i], 0f));
                    }
                }
                long[] all = expected.keySet().stream().mapToLong(key -> key).toArray();
                assertThat(list(cluster, 1 + random.nextInt(20))).isEqualTo(all);
                return all;
            });
            assertThat(keys).as("seed %s", seed).isNotEmpty();
        }
    }

    @Test
    void pagesListEveryKeyThatIsThereAllTheWhile() {
        long[] keys = new Random(1).longs(500).toArray();
        long[] listed = table().sameOnAnySlices(cluster -> {
            push(cluster, keys);
            KeyPages pages = new KeyPages(cluster, T, 20);
            List<Long> seen = new ArrayList<>();
            for (int page = 0; pages.hasNext(); page++) {
                for (long key : pages.next()) {
                    seen.add(key);
                }
                if (page < 4) {
                    remove(cluster, Arrays.copyOfRange(keys, page * 50, page * 50 + 50));
                    push(cluster, page);
                }
            }
            assertThatThrownBy(pages::next).isInstanceOf(java.util.NoSuchElementException.class);
            long[] stayed = Arrays.copyOfRange(keys, 200, 500);
            assertThat(seen).contains(LongStream.of(stayed).boxed().toArray(Long[]::new));
            return stayed;
        });
        assertThat(listed).hasSize(300);
        long[] none = table().sameOnAnySlices(cluster -> list(cluster, 5));
        assertThat(none).isEmpty();
    }

    @Test
    void aTensorThatDoesNotGrowIsFoundAndListedWholeAndKeepsItsRows() {
        PsfTest<FindRows.Request, FindRows.Response> fixed = table().tensor(T, 10, WIDTH);
        long[] keys = fixed.sameOnAnySlices(cluster -> list(cluster, 3));
        assertThat(keys).isEqualTo(LongStream.range(0, 10).toArray());
        byte[] present = fixed.sameOnAnySlices(cluster -> find(cluster, 9, 0));
        assertThat(present).containsExactly(1, 1);
        TestCluster cluster = fixed.on(3);
        assertThatThrownBy(() -> remove(cluster, 4))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("BAD_REQUEST: tensor table: [10, 2] (expected: a table that grows)");
        assertThatThrownBy(() -> find(cluster, 10)).isInstanceOf(PsException.class);
    }

    @Test
    void aPageOfNothingIsRefused() {
        TestCluster cluster = table().on(2);
        ListKeysPsf.Stub stub = ListKeysPsf.stub(cluster);
        assertThatThrownBy(() -> stub.call(T, 0, new int[0]).await())
                .hasMessageContaining(
                        "most: 0, left of 0 slices (expected: most >= 1, and left of each slice or of none)");
        assertThatThrownBy(() -> stub.call(T, 1, new int[1]).await()).hasMessageContaining("left of 1 slices");
        assertThat(stub.call(T, 1, new int[] {-1, Integer.MIN_VALUE})
                        .await()
                        .keys()
                        .length())
                .isZero();
    }
}
