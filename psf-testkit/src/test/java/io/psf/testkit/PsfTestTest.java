package io.psf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Node;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Binding;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PsfTestTest {
    private static final TensorId T = TensorId.of("t");

    private static PsfTest<Axpy.Request, Axpy.Response> axpy() {
        return PsfTest.of(AxpyPsf.bind(new Axpy() {})).tensor(T, 20, 3);
    }

    private static PsfTest<Meet.Request, Meet.Response> meet() {
        return PsfTest.of(MeetPsf.bind(new Meet() {})).tensor(T, 10, 2).values(i -> i);
    }

    private interface DeviceShard extends Shard {}

    @Test
    void aFunctionForAKindOfShardThatATestDoesNotHaveIsRefused() {
        Binding<Axpy.Request, Axpy.Response> device = Binding.shard(
                AxpyPsf.bind(new Axpy() {}).function(),
                DeviceShard.class,
                new Object(),
                (slice, shard) -> new Axpy.Response(shard.width()));
        String refusal = "kind of shard of \"test.axpy\": DeviceShard (expected: Shard, or StoredShard; test it with"
                + " PsCluster)";
        assertThatThrownBy(() -> PsfTest.of(device))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(refusal);
        PsfTest<Axpy.Request, Axpy.Response> test = axpy();
        assertThatThrownBy(() -> test.and(device)).hasMessage(refusal);
    }

    @Test
    void aRightFunctionAnswersTheSameOnAnySlices() {
        FloatArray ones = FloatArray.allocate(60);
        ones.fill(1);
        Axpy.Response response = axpy().values(i -> 2).sameOnAnySlices(new Axpy.Request(T, 3, ones));
        assertThat(response.squaredNorm()).isEqualTo(60 * 25);
    }

    @Test
    void randomRequestsAreTriedEachOnFreshServers() {
        axpy().sameOnAnySlices(20, random -> {
            FloatArray x = FloatArray.allocate(60);
            for (int i = 0; i < 60; i++) {
                x.set(i, random.nextFloat());
            }
            return new Axpy.Request(T, random.nextFloat(), x);
        });
    }

    @Test
    void whatFinishesAMergeSeesTheRequestAndTheWhole() {
        Softmax.Response response = PsfTest.of(SoftmaxPsf.bind(new Softmax() {}))
                .tensor(T, 20, 3)
                .sameOnAnySlices(new Softmax.Request(T, LongArray.of(19, 0, 7, 7, 12), 10));
        double sum = 0;
        for (float share : response.shares().toArray()) {
            sum += share;
        }
        assertThat(sum).isCloseTo(1, within(1e-6));
        assertThat(response.shares().get(2)).isEqualTo(response.shares().get(3));
    }

    @Test
    void aMergeSeesTheRequest() {
        assertThat(PsfTest.of(RankedPsf.bind(new Ranked() {}))
                        .tensor(T, 20, 1)
                        .values(i -> i % 7)
                        .sameOnAnySlices(new Ranked.Request(T, 3, ""))
                        .hits())
                .containsExactly(new Ranked.Hit(6, 6), new Ranked.Hit(13, 6), new Ranked.Hit(5, 5));
    }

    @Test
    void whatAMergeThrowsIsTheCallersOwn() {
        PsfTest<Ranked.Request, Ranked.Response> ranked =
                PsfTest.of(RankedPsf.bind(new Ranked() {})).tensor(T, 20, 1);
        assertThatThrownBy(() -> ranked.sameOnAnySlices(new Ranked.Request(T, 3, "a defect")))
                .isInstanceOf(PsException.class)
                .hasMessage("CALLER_FAILED: the caller's own merge, finish or record constructor threw"
                        + " java.lang.IllegalStateException: a defect in test.ranked on tensor \"t\"");
        assertThatThrownBy(() -> ranked.sameOnAnySlices(new Ranked.Request(T, 3, "null")))
                .isInstanceOf(PsException.class)
                .hasMessage(
                        "CALLER_FAILED: merge or finish: null (expected: a response) in test.ranked on tensor \"t\"");
    }

    @Test
    void stepsGoThroughTheStubsOnTheSameServers() {
        FloatArray x = FloatArray.allocate(60);
        x.fill(1);
        List<Double> norms = axpy().values(i -> 0).sameOnAnySlices(cluster -> {
            AxpyPsf.Stub stub = AxpyPsf.stub(cluster);
            return List.of(
                    stub.call(T, 1, x).await().squaredNorm(),
                    stub.call(T, 1, x).await().squaredNorm());
        });
        assertThat(norms).containsExactly(60.0, 240.0);
    }

    @Test
    void localRowsAsKeysAreCaught() {
        assertThatThrownBy(() -> PsfTest.of(LocalRowsPsf.bind(new LocalRows() {}))
                        .tensor(T, 10, 2)
                        .sameOnAnySlices(new LocalRows.Request(T)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("test.local.rows: response.keys[5]: 5 on 1 slice, 0 on 2 slices (expected: the same)");
    }

    @Test
    void aSumOfMeansIsCaughtWithTheSeed() {
        assertThatThrownBy(() -> PsfTest.of(MeanOfMeansPsf.bind(new MeanOfMeans() {}))
                        .tensor(T, 8, 1)
                        .values(i -> 4)
                        .sameOnAnySlices(5, random -> new MeanOfMeans.Request(T)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("test.mean: response.mean: 4.0 on 1 slice, 8.0 on 2 slices (expected: the same); seed 0");
    }

    @Test
    void aDifferenceInWhatIsLeftIsCaught() {
        PsfTest<MarkFirst.Request, MarkFirst.Response> test = PsfTest.of(MarkFirstPsf.bind(new MarkFirst() {}))
                .tensor(T, 8, 2)
                .values(i -> i);
        assertThatThrownBy(() -> test.sameOnAnySlices(new MarkFirst.Request(T, false)))
                .hasMessage("test.mark.first: values of tensor \"t\"[8]: 8.0 on 1 slice, 1000.0 on 2 slices"
                        + " (expected: the same)");
        assertThatThrownBy(() -> test.sameOnAnySlices(new MarkFirst.Request(T, true)))
                .hasMessageContaining("slot \"marks\" of tensor \"t\"[4]: 0.0 on 1 slice, 1000.0 on 2 slices");
    }

    @Test
    void anArrayKeptBeyondTheAnswerIsCaught() {
        PsfTest<Keep.Request, Keep.Response> test =
                PsfTest.of(KeepPsf.bind(new Keep() {})).tensor(T, 4, 1);
        TestCluster cluster = test.on(2);
        KeepPsf.stub(cluster).call(T, FloatArray.of(1, 2, 3, 4)).await();
        assertThat(KeepPsf.stub(cluster)
                        .call(T, FloatArray.of(5, 6, 7, 8))
                        .await()
                        .before()
                        .get(0))
                .isNotEqualTo(1f);
    }

    @Test
    void aHandlersExceptionComesAsTheCallsWithItsPlace() {
        PsfTest<Refuse.Request, Refuse.Response> test =
                PsfTest.of(RefusePsf.bind(new Refuse() {})).tensor(T, 8, 1);
        assertThatThrownBy(() -> test.call(2, new Refuse.Request(T, 5, false)))
                .asInstanceOf(InstanceOfAssertFactories.type(PsException.class))
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(PsException.Code.HANDLER_FAILED);
                    assertThat(e.slice()).isEqualTo("[4, 8)");
                    assertThat(e).hasMessageContaining("key 5").hasMessageContaining("test.refuse");
                });
        assertThatThrownBy(() -> test.sameOnAnySlices(new Refuse.Request(T, 5, false)))
                .isInstanceOf(PsException.class);
        assertThatThrownBy(() -> test.sameOnAnySlices(new Refuse.Request(T, 5, true)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("outcome")
                .hasMessageContaining("on 2 slices");
    }

    @Test
    void aFailureOfSeveralSlicesHoldsThemAll() {
        PsfTest<Refuse.Request, Refuse.Response> test =
                PsfTest.of(RefusePsf.bind(new Refuse() {})).tensor(T, 9, 1);
        assertThatThrownBy(() -> test.call(3, new Refuse.Request(T, 0, true)))
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    }

    @Test
    void aDeferredAnswerOfOneWorkerComesAtOnce() {
        Meet.Response response =
                meet().sameOnAnySlices(new Meet.Request(T, LongArray.of(9, 0, 9), FloatArray.of(1, 1, 2, 2, 3, 3)));
        assertThat(response.rows()).isEqualTo(FloatArray.of(22, 23, 2, 3, 22, 23));
    }

    @Test
    void severalWorkersMeet() {
        List<Meet.Response> responses = meet().workers(2).sameOnAnySlices(cluster -> {
            LongArray keys = LongArray.of(4, 7);
            FloatArray ones = FloatArray.of(1, 1, 1, 1);
            Pending<Meet.Response> zero = MeetPsf.stub(cluster.worker(0)).call(T, keys, ones);
            Pending<Meet.Response> again = MeetPsf.stub(cluster.worker(0)).call(T, keys, ones);
            assertThat(zero.isDone()).isFalse();
            Pending<Meet.Response> one = MeetPsf.stub(cluster.worker(1)).call(T, keys, ones);
            assertThat(zero.isDone()).isTrue();
            assertThat(again.isDone()).isFalse(); // held back until then, it waits for the next meeting
            MeetPsf.stub(cluster.worker(1)).call(T, keys, ones).await();
            return List.of(zero.await(), one.await(), again.await());
        });
        assertThat(responses.get(1).rows()).isEqualTo(FloatArray.of(10, 11, 16, 17));
        assertThat(responses.get(2).rows()).isEqualTo(FloatArray.of(12, 13, 18, 19));
        assertThat(responses).extracting(Meet.Response::lastToCome).containsExactly(0, 1, 0);
    }

    @Test
    void anAnswerThatNobodyBringsIsAnErrorAtAwait() {
        assertThatThrownBy(() -> meet().workers(2).call(2, new Meet.Request(T, LongArray.of(1), FloatArray.of(1, 1))))
                .asInstanceOf(InstanceOfAssertFactories.type(PsException.class))
                .extracting(PsException::code)
                .isEqualTo(PsException.Code.TIMED_OUT);
    }

    @Test
    void timePassesWhenTheTestSaysSo() {
        TestCluster cluster = PsfTest.of(LaterPsf.bind(new Later() {})).on(1);
        Pending<Later.Response> second = LaterPsf.stub(cluster).call(20, false);
        Pending<Later.Response> first = LaterPsf.stub(cluster).call(10, false);
        cluster.advance(Duration.ofMillis(9));
        assertThat(first.isDone()).isFalse();
        cluster.advance(Duration.ofMillis(1));
        assertThat(first.await().turn()).isZero();
        assertThat(second.isDone()).isFalse();
        Pending<Later.Response> cancelled = LaterPsf.stub(cluster).call(10, false);
        Pending<Later.Response> third = LaterPsf.stub(cluster).call(30, true);
        cluster.advance(Duration.ofHours(1));
        assertThat(second.await().turn()).isEqualTo(1);
        assertThat(third.await().turn()).isEqualTo(2);
        assertThat(cancelled.isDone()).isFalse();
    }

    @Test
    void functionsOnServersSeeTheShards() {
        assertThat(PsfTest.of(CensusPsf.bind(new Census() {}))
                        .tensor(T, 20, 1)
                        .sameOnAnySlices(new Census.Request())
                        .rows())
                .isEqualTo(20);
    }

    @Test
    void aTensorOfFewRowsHasAsManySlicesAtMost() {
        assertThatThrownBy(() -> axpy().tensor(TensorId.of("small"), 2, 1).on(3))
                .hasMessage("slices: 3 (expected: 1 to 2, the rows)");
    }

    @Test
    void whatTheTestHasNotSaidIsNamed() {
        TestCluster cluster = axpy().on(2);
        Pending<?> unbound = MeanOfMeansPsf.stub(cluster).call(T);
        assertThatThrownBy(unbound::await)
                .hasMessageContaining("function: test.mean (expected: one that the test binds, with and(..))");
        assertThatThrownBy(() -> AxpyPsf.stub(cluster)
                        .call(TensorId.of("other"), 1, FloatArray.of(1))
                        .await())
                .hasMessageContaining("tensor: other (expected: one that the test declares, with tensor(..))");
    }

    @ParameterizedTest
    @CsvSource({"test.other, false", "test.ax, false", "test.axpy, true", "test, true"})
    void theMemoryOfAFunctionIsForItAndThoseBelowItsName(String owner, boolean isUsable) {
        TestCluster cluster = axpy().on(2);
        TensorId memory = TensorId.of("memory");
        TensorLayout layout = cluster.declare(
                        List.of(TensorDeclaration.memory(new TensorInfo(memory, 20, 3), 0, "", owner)))
                .get(0);
        for (int slice = 0; slice < 2; slice++) {
            cluster.server(slice).create(layout, slice, Node.HOST, new Additive(), new Node.Fill() {
                @Override
                public void fill(Shard shard) {}

                @Override
                public String memoryOf() {
                    return owner;
                }
            });
        }
        ThrowingCallable use = () ->
                AxpyPsf.stub(cluster).call(memory, 1, FloatArray.allocate(60)).await();
        if (isUsable) {
            assertThatCode(use).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(use)
                    .hasMessageContaining("BAD_REQUEST: tensor \"memory\": the memory of function \"" + owner
                            + "\" (expected: a tensor of the model as the argument of \"test.axpy\")");
        }
        assertThat(cluster.server(0).shards())
                .extracting(each -> each.tensor().id())
                .doesNotContain(memory);
    }

    @Test
    void aTableThatGrowsHasTheSameRowsOnAnySlices() {
        long[] keys = {5, -1, 1L << 60, 5, Long.MIN_VALUE};
        PsfTest<Touch.Request, Touch.Response> test =
                PsfTest.of(TouchPsf.bind(new Touch() {})).growing(T, 2);
        FloatArray touched = test.sameOnAnySlices(cluster -> {
            TouchPsf.Stub stub = TouchPsf.stub(cluster);
            stub.call(T, LongArray.wrap(keys), false).await();
            FloatArray answer = stub.call(T, LongArray.of(-1, 7), false).await().values();
            assertThat(cluster.keys(T)).containsExactly(Long.MIN_VALUE, -1, 5, 7, 1L << 60);
            assertThat(cluster.values(T)).startsWith(1, 1, 2, 2, 2, 2, 1, 1);
            return answer;
        });
        assertThat(touched).isEqualTo(FloatArray.of(2, 2, 1, 1));
        assertThatThrownBy(() -> test.sameOnAnySlices(cluster -> TouchPsf.stub(cluster)
                        .call(T, LongArray.wrap(keys), true)
                        .await()))
                .hasMessageContaining("slot \"order\" of tensor \"t\"");
    }

    @Test
    void aTensorOfOtherRowsIsTheSameSliceOnlyIfKeysOfItAreInTheRequest() {
        TensorId second = TensorId.of("second");
        TensorId third = TensorId.of("third");
        PsfTest<Beside.Request, Beside.Response> test = PsfTest.of(BesidePsf.bind(new Beside() {}))
                .tensor(T, 40, 1)
                .tensor(second, 41, 2)
                .values(i -> i)
                .tensor(third, 40, 1)
                .values(i -> 1);
        Beside.Response response = test.sameOnAnySlices(new Beside.Request(T, second, third, LongArray.of(40, 0, 40)));
        assertThat(response.rows()).isEqualTo(FloatArray.of(80, 81, 0, 1, 80, 81));
        assertThat(response.sum()).isEqualTo(40);
        assertThat(test.sameOnAnySlices(new Beside.Request(T, T, third, LongArray.of(3)))
                        .rows()
                        .length())
                .isEqualTo(1);
        TensorId other = TensorId.of("other");
        PsfTest<Beside.Request, Beside.Response> wrong = test.tensor(other, 41, 1);
        for (int slices : new int[] {1, 2, 7}) { // of which the first has equal bounds on 2
            assertThatThrownBy(() -> wrong.call(slices, new Beside.Request(T, second, other, LongArray.of(0))))
                    .hasMessageContaining("tensor other beside t: [41, 1] in " + slices + " slice")
                    .hasMessageContaining(
                            "(expected: the same number of rows, and the same slices on the same servers, as"
                                    + " [40, 1] in " + slices + " slice")
                    .hasMessageContaining("; or a key set of the request that names it)")
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(slices - 1));
        }
    }

    @ParameterizedTest
    @EnumSource(Meddle.Change.class)
    void aReadOnlyFunctionThatChangesSomethingIsNamed(Meddle.Change change) {
        PsfTest<Meddle.Request, Meddle.Response> test = PsfTest.of(MeddlePsf.bind(new Meddle() {}))
                .and(TouchPsf.bind(new Touch() {}))
                .growing(T, 2);
        ThrowingCallable run = () -> test.sameOnAnySlices(cluster -> {
            long[] keys = LongStream.range(0, 100).toArray(); // some for each slice
            TouchPsf.stub(cluster).call(T, LongArray.wrap(keys), false).await();
            return MeddlePsf.stub(cluster).call(T, change).await();
        });
        if (change == Meddle.Change.NONE) {
            assertThatCode(run).doesNotThrowAnyException();
            return;
        }
        String expected = switch (change) {
            case ATTACHMENT -> "attachment io.psf.testkit.Meddle$Notes";
            case SLOT -> "slot \"notes\"";
            case OPTIMIZER -> "another optimizer";
            case VALUES -> "values or slots";
            case REMOVAL -> "removal of rows";
            case CALL -> "call of \"test.touch\"";
            case NONE -> "";
        };
        assertThatThrownBy(run)
                .hasMessageContaining("HANDLER_FAILED: change by \"test.meddle\": " + expected
                        + " (expected: none, since the function is readOnly)");
    }
}
