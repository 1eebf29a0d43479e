package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.examples.mf.MatrixFactorization;
import io.psf.examples.mf.MatrixFactorizationPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tensors beside each other: the same slice of another one, and keys of two tables in one call. */
@Timeout(60)
final class BesideTest {
    private static TensorSpec ones(String name, int rows) {
        return TensorSpec.table(name, rows, 2).initializer(Initializers.constant(1));
    }

    /** Slice 0 is [0, 20) of tensors of 40 and of 41 rows on 2 servers, and of 3 rows in 2 and in 3 slices [0, 1). */
    @Test
    void aTensorOfOtherRowsOrSlicesIsRefusedOnEverySliceOfAnyNumberOfServers() {
        Set<String> messages = new HashSet<>();
        for (int servers : new int[] {1, 2, 3}) {
            try (PsCluster cluster = Clusters.start(Over.MEMORY, servers, 1)) {
                Worker worker = cluster.worker();
                TensorId y = Tensors.init(worker, ones("y", 40));
                TensorId x = Tensors.init(worker, ones("x", 41));
                TensorId same = Tensors.init(worker, ones("same", 40));
                TensorId two = Tensors.init(worker, ones("two", 3).slices(2));
                TensorId three = Tensors.init(worker, ones("three", 3).slices(3));
                ReadBesidePsf.Stub read = ReadBesidePsf.stub(worker);
                for (long key : new long[] {0, 39}) {
                    LongArray keys = LongArray.of(key);
                    assertThat(read.call(y, same, keys).await().rows().toArray())
                            .containsExactly(1, 1);
                    PsException e = catchThrowableOfType(
                            PsException.class, () -> read.call(y, x, keys).await());
                    assertThat(e).as("%s servers, key %s", servers, key).isNotNull();
                    assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST);
                    messages.add(e.detail().replaceAll("\\d+ slices?", "n slices"));
                }
                PsException e = catchThrowableOfType(
                        PsException.class,
                        () -> read.call(two, three, LongArray.of(0)).await());
                assertThat(e).as("%s servers", servers).isNotNull();
                assertThat(e.detail()).startsWith("tensor three beside two: ");
            }
        }
        assertThat(messages).hasSize(1);
    }

    private static FloatArray filled(int n, float value) {
        FloatArray array = FloatArray.allocate(n);
        array.fill(value);
        return array;
    }

    /** Keys of both tables, on every slice and on few, with duplicates. */
    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP_MAPPED"})
    void keysOfTwoTablesTravelInOneCall(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId users = Tensors.init(worker, ones("users", 300).slices(5));
            TensorId few = Tensors.init(worker, ones("few", 40).beside(users));
            TensorId wide = Tensors.init(worker, TensorSpec.dense("wide", 41, 3).beside(users));
            TensorId growing =
                    Tensors.init(worker, TensorSpec.growing("growing", 4).beside(wide));
            MatrixFactorizationPsf.Stub step = MatrixFactorizationPsf.stub(worker);
            LongArray user = LongArray.of(299, 0, 150, 299);
            for (TensorId[] tables :
                    new TensorId[][] {{users, few}, {users, wide}, {wide, growing}, {growing, users}, {few, few}}) {
                int width = worker.layout(tables[0]).info().width();
                int otherWidth = worker.layout(tables[1]).info().width();
                LongArray first = tables[0].equals(users) || tables[0].equals(growing) ? user : LongArray.of(39, 0, 39);
                LongArray second = LongArray.of(7, 39, 0, 7, 7);
                Supplier<MatrixFactorization.Response> rows = () -> step.call(
                                tables[0],
                                tables[1],
                                1,
                                first,
                                filled(first.length() * width, 0),
                                second,
                                filled(second.length() * otherWidth, 0))
                        .await();
                MatrixFactorization.Response before = rows.get();
                MatrixFactorization.Response after = step.call(
                                tables[0],
                                tables[1],
                                -1,
                                first,
                                filled(first.length() * width, 1),
                                second,
                                filled(second.length() * otherWidth, 10))
                        .await();
                if (!tables[0].equals(tables[1])) {
                    for (int i = 0; i < first.length(); i++) {
                        int times = first.get(i) == 299 || first.get(i) == 39 ? 2 : 1;
                        assertThat(after.user().get(i * width) - before.user().get(i * width))
                                .isEqualTo(times);
                    }
                    for (int i = 0; i < second.length(); i++) {
                        int times = second.get(i) == 7 ? 3 : 1;
                        assertThat(after.item().get(i * otherWidth)
                                        - before.item().get(i * otherWidth))
                                .isEqualTo(10 * times);
                    }
                } else {
                    assertThat(after.item().get(2) - before.item().get(2)).isEqualTo(2 + 10);
                }
                MatrixFactorization.Response again = rows.get();
                assertThat(again.item()).isEqualTo(after.item());
            }
        }
    }

    @Test
    void tablesThatDoNotMeetAreRefusedOnAnyNumberOfServers() {
        for (int servers : new int[] {1, 2, 3}) {
            try (PsCluster cluster = Clusters.start(Over.MEMORY, servers, 1)) {
                Worker worker = cluster.worker();
                TensorId users = Tensors.init(worker, ones("users", 300));
                TensorId items = Tensors.init(worker, ones("items", 40));
                TensorId growing = Tensors.init(worker, TensorSpec.growing("growing", 2));
                TensorId unknown = TensorId.of("unknown");
                MatrixFactorizationPsf.Stub step = MatrixFactorizationPsf.stub(worker);
                LongArray key = LongArray.of(1);
                String slices = servers + (servers == 1 ? " slice" : " slices") + " from server 0 on";
                assertThatThrownBy(() -> step.call(users, items, 1, key, filled(2, 0), key, filled(2, 0)))
                        .hasMessage("BAD_REQUEST: slices of tensor items: [40, 2] in " + slices
                                + " (expected: beside the slices of users, [300, 2] in " + slices
                                + "; make one of them with TensorSpec.beside the other)"
                                + " in acme.mf on tensor \"users\"");
                assertThatThrownBy(() -> step.call(growing, users, 1, key, filled(2, 0), key, filled(2, 0)))
                        .hasMessageContaining("slices of tensor users: [300, 2] in " + slices
                                + " (expected: beside the slices of growing, [growing, 2]");
                assertThatThrownBy(() -> step.call(users, unknown, 1, key, filled(2, 0), key, filled(2, 0)))
                        .hasMessageContaining("UNKNOWN_TENSOR: tensor: \"unknown\"");
                TensorId beside = Tensors.init(worker, ones("beside", 40).beside(users));
                assertThatThrownBy(
                                () -> step.call(users, beside, 1, key, filled(2, 0), LongArray.of(0, 40), filled(4, 0)))
                        .hasMessageContaining("OUT_OF_RANGE: item[1]: 40 (expected: a row in [0, 40))");
            }
        }
    }

    @Test
    void whatCannotLieBesideIsToldWhenItIsMade() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId users = Tensors.init(worker, ones("users", 300).slices(5));
            assertThatThrownBy(() -> Tensors.init(worker, ones("two", 4).beside(users)))
                    .hasMessageContaining("slices of tensor \"two\" beside \"users\": 4 at most, one for each row"
                            + " (expected: 5, as many as that tensor has)");
            assertThatThrownBy(() ->
                            Tensors.init(worker, ones("three", 40).slices(3).beside(users)))
                    .hasMessageContaining("slices of tensor \"three\" beside \"users\": 3 (expected: 5");
            assertThatThrownBy(() -> Tensors.init(
                            worker, TensorSpec.table("large", 1L << 31, 8).beside(users)))
                    .hasMessageContaining("slices of at most 1 GB; create that tensor with slices(64)");
            assertThatThrownBy(() -> Tensors.init(worker, ones("four", 40).beside(TensorId.of("nothing"))))
                    .hasMessageContaining("UNKNOWN_TENSOR: tensor: \"nothing\"");
            TensorSpec beside = ones("five", 40).beside(users);
            assertThat(Tensors.init(worker, beside)).isEqualTo(Tensors.init(worker, beside));
            assertThatThrownBy(() -> Tensors.init(worker, ones("five", 40)))
                    .hasMessageContaining("ALREADY_EXISTS")
                    .hasMessageContaining("slices=0 beside=users");
        }
    }

    /** The worker that does not know of the new table requests its layout again. */
    @Test
    void aSecondTableThatWasMadeAnewIsNotTakenForTheOldOne() {
        try (PsCluster cluster = Clusters.start(Over.TCP_MAPPED, 2, 2)) {
            Worker worker = cluster.worker(0);
            Worker other = cluster.worker(1);
            TensorId users = Tensors.init(worker, ones("users", 300));
            TensorId items = Tensors.init(worker, ones("items", 40).beside(users));
            MatrixFactorizationPsf.Stub step = MatrixFactorizationPsf.stub(worker);
            LongArray user = LongArray.of(1);
            LongArray item = LongArray.of(19, 20); // one on each server, of 40 rows
            step.call(users, items, 1, user, filled(2, 0), item, filled(4, 0)).await();

            Tensors.clear(other, items);
            assertThatThrownBy(() -> step.call(users, items, 1, user, filled(2, 0), item, filled(4, 0))
                            .await())
                    .hasMessageContaining(
                            "UNKNOWN_TENSOR: tensor: \"items\" (expected: one that has been initialized)");
            Tensors.init(other, ones("items", 40).beside(users));
            step.call(users, items, 1, user, filled(2, 0), item, filled(4, 0)).await();

            Tensors.clear(other, items);
            Tensors.init(other, ones("items", 60).beside(users));
            step.call(users, items, -1, user, filled(2, 0), item, filled(4, 5)).await();
            float[] values = Tensors.pull(other, items);
            assertThat(values).hasSize(120);
            assertThat(Arrays.copyOfRange(values, 36, 44)).containsExactly(1, 1, 6, 6, 6, 6, 1, 1);

            Tensors.clear(other, items);
            Tensors.init(other, ones("items", 60)); // on lanes of its own
            assertThatThrownBy(() -> step.call(users, items, 1, user, filled(2, 0), item, filled(4, 0))
                            .await())
                    .hasMessageContaining("make one of them with TensorSpec.beside the other");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP_MAPPED"})
    void elementsGoToTheOwnersOfTheirKeysAndAnswersComeBackInOrder(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, ones("table", 90));
            TensorId other = Tensors.init(worker, TensorSpec.growing("other", 1).beside(table));
            NotesPsf.Stub notes = NotesPsf.stub(worker);
            List<Notes.Note> some = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                some.add(new Notes.Note("n" + i, i * 37L % 45 * 2));
            }
            Notes.Response first = notes.call(table, other, some, List.of()).await();
            assertThat(first.beforeOfOther()).isEmpty();
            for (int i = 0; i < 50; i++) {
                String before = i < 45 ? "" : "n" + (i - 45);
                assertThat(first.before().get(i))
                        .isEqualTo(new Notes.Before(before, (int) (some.get(i).row() / 30)));
            }
            Notes.Response second = notes.call(table, other, List.of(), some).await();
            assertThat(second.before()).isEmpty();
            assertThat(second.beforeOfOther())
                    .extracting(Notes.Before::text)
                    .startsWith("", "")
                    .endsWith("n4");
            assertThat(second.beforeOfOther()).extracting(Notes.Before::slice).contains(0, 1, 2);
            assertThat(notes.call(table, other, List.of(), List.of()).await())
                    .isEqualTo(new Notes.Response(List.of(), List.of()));

            List<Notes.Note> withNull = new ArrayList<>(some);
            withNull.set(3, null);
            assertThatThrownBy(() -> notes.call(table, other, withNull, List.of()))
                    .hasMessageContaining("BAD_REQUEST: notes[3]: null (expected: an element)");
            assertThatThrownBy(() -> notes.call(table, other, List.of(new Notes.Note("", 90)), List.of()))
                    .hasMessageContaining("OUT_OF_RANGE: notes[0]: 90 (expected: a row in [0, 90))");
        }
    }

    @Test
    void aChainCallsOnTablesBesideEachOther() {
        try (PsCluster cluster = Clusters.start(Over.TCP_MAPPED, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId users = Tensors.init(worker, ones("users", 300).slices(4));
            TensorId items = Tensors.init(worker, ones("items", 40).beside(users));
            Chain chain = worker.chain();
            var unused = SparsePushPsf.stub(chain).call(users, LongArray.of(0, 299), filled(4, 1));
            var pushed = SparsePushPsf.stub(chain).call(items, LongArray.of(0, 39), filled(4, 2));
            var pulled = SparsePullPsf.stub(chain).call(items, LongArray.of(39, 0, 1));
            chain.send();
            assertThat(pulled.await().values()).isEqualTo(FloatArray.of(3, 3, 3, 3, 1, 1));
            pushed.await();
        }
    }

    @Test
    void whoWaitsForATableWaitsForCallsWithKeysOfIt() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId users = Tensors.init(worker, ones("users", 300));
            TensorId items = Tensors.init(worker, ones("items", 40).beside(users));
            TensorId others = Tensors.init(worker, ones("others", 40));
            var unused =
                    HoldPsf.stub(worker).withDeadline(Duration.ofMillis(200)).call(users, items, LongArray.of(0));
            worker.await(others);
            assertThatThrownBy(() -> worker.await(items)).hasMessageContaining("TIMED_OUT");
        }
    }
}
