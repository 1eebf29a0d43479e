package io.psf.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import io.psf.runtime.transport.RecordedChannel;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls whose layouts turn out to be out of date. */
@NullUnmarked
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RetryTest {
    private static final TensorId TENSOR = TensorId.of("t");

    private final FramePool pool = new FramePool(1 << 20);
    private final Client client = new Client(pool);
    private final RecordedChannel zero = new RecordedChannel();
    private final RecordedChannel one = new RecordedChannel();
    private final Queue<Runnable> repeats = new ConcurrentLinkedQueue<>();
    private int doubts;
    private List<Peer> servers;
    /** The layout that the scheduler has. */
    private TensorLayout current = layout(10, 0, 1);

    private @Nullable PsException schedulerFailure;

    private static TensorLayout layout(int rows, int... servers) {
        return TensorLayout.even(new TensorInfo(TENSOR, rows, 1), servers);
    }

    /** Sums the answers of the shards. */
    private static final class Sum extends Function<int[], Integer> {
        Sum(boolean readOnly) {
            super(FunctionInfo.of("acme.sum", Place.SHARD, readOnly, "int -> int"));
        }

        @Override
        public TensorId target(int[] request) {
            return TENSOR;
        }

        @Override
        public void write(int[] request, Routing routing, int part, TupleWriter out) {
            out.i32(request[0]);
        }

        @Override
        public int[] read(TupleReader in) {
            throw new AssertionError("not reached");
        }

        @Override
        public void writeAnswer(Integer answer, TupleWriter out) {
            throw new AssertionError("not reached");
        }

        @Override
        public Merge<Integer> merge(int[] request, Routing routing, @Nullable Integer into) {
            return new Merge<>() {
                private int sum;

                @Override
                public void add(int part, TupleReader in) {
                    sum += in.i32();
                }

                @Override
                public Integer result() {
                    return sum;
                }
            };
        }
    }

    @BeforeEach
    void connect() {
        servers = List.of(
                client.connect(zero.transport(), "", 0, "server 0"),
                client.connect(one.transport(), "", 0, "server 1"));
        client.repeatWith(new Layouts() {
            @Override
            public void doubt() {
                doubts++;
            }

            @Override
            public CompletableFuture<TensorLayout> refresh(TensorId tensor) {
                return schedulerFailure == null
                        ? CompletableFuture.completedFuture(current)
                        : CompletableFuture.failedFuture(schedulerFailure);
            }

            @Override
            public CompletableFuture<List<Peer>> owners(TensorLayout layout) {
                return CompletableFuture.completedFuture(servers);
            }

            @Override
            public <Q, R> CompletableFuture<Call<R>> prepare(
                    Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
                return CompletableFuture.completedFuture(
                        client.onShards(function, request, into, current, other -> current, servers, limits));
            }
        });
    }

    private Call<Integer> send(boolean readOnly, Duration limit) {
        CallLimits limits = new CallLimits(limit.toNanos(), 0, false, repeats::add);
        return client.send(client.onShards(
                new Sum(readOnly), new int[] {1}, null, layout(10, 0, 1), other -> current, servers, limits));
    }

    private Call<Integer> send(boolean readOnly) {
        return send(readOnly, Duration.ofSeconds(60));
    }

    private void refuse(RecordedChannel server, Code code) {
        server.refuse(pool, server.lastRequest(), code, "as made last");
    }

    private void answer(RecordedChannel server, int with) {
        TupleWriter tuple = new TupleWriter();
        tuple.i32(with);
        server.answer(pool, new Sum(true).info(), server.lastRequest(), tuple);
    }

    private void repeat() {
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !repeats.isEmpty());
        while (!repeats.isEmpty()) {
            repeats.remove().run();
        }
    }

    private static PsException failure(Call<?> call) {
        assertThat(call.isDone()).as("ended").isTrue();
        return catchThrowableOfType(PsException.class, call::await);
    }

    private void assertOver() {
        assertThat(client.outstanding()).isZero();
        assertThat(repeats).isEmpty();
    }

    @Test
    void aCallThatNoShardHasRunIsRepeatedByTheFreshLayout() {
        Call<Integer> call = send(false);
        current = layout(20, 1);
        refuse(zero, Code.STALE_LAYOUT);
        refuse(one, Code.UNKNOWN_TENSOR);
        assertThat(call.isDone()).isFalse();
        repeat();
        assertThat(zero.sent()).hasSize(1);
        answer(one, 5);
        assertThat(call.await()).isEqualTo(5);
        assertOver();
    }

    @Test
    void aRepetitionWithAnOldLayoutIsRepeatedAgain() {
        Call<Integer> call = send(false);
        for (int i = 0; i < 3; i++) {
            refuse(zero, Code.STALE_LAYOUT);
            refuse(one, Code.STALE_LAYOUT);
            repeat();
        }
        answer(zero, 2);
        answer(one, 3);
        assertThat(call.await()).isEqualTo(5);
        assertOver();
    }

    /** The shard that has run the call would run it twice. */
    @Test
    void aCallThatAShardHasRunFailsUnlessItIsReadOnly() {
        Call<Integer> write = send(false);
        answer(zero, 1);
        refuse(one, Code.STALE_LAYOUT);
        assertThat(failure(write).code()).isEqualTo(Code.STALE_LAYOUT);
        assertThat(doubts).isOne();

        Call<Integer> read = send(true);
        answer(zero, 1);
        refuse(one, Code.STALE_LAYOUT);
        repeat();
        answer(zero, 2);
        answer(one, 3);
        assertThat(read.await()).as("without the answer of the first time").isEqualTo(5);
        assertOver();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTensorThatNoServerHasIsRepeatedOnlyIfItIsElsewhere(boolean elsewhere) {
        Call<Integer> call = send(false);
        current = elsewhere ? layout(10, 1, 0) : current;
        refuse(zero, Code.UNKNOWN_TENSOR);
        refuse(one, Code.UNKNOWN_TENSOR);
        repeat();
        if (elsewhere) {
            answer(zero, 2);
            answer(one, 3);
            assertThat(call.await()).isEqualTo(5);
        } else {
            assertThat(failure(call).code()).isEqualTo(Code.UNKNOWN_TENSOR);
            assertThat(zero.sent()).as("not sent again").hasSize(1);
        }
        assertOver();
    }

    /** A handler may give up with such an error, of a call of its own or since its tensor was cleared meanwhile. */
    @Test
    void anErrorOfAHandlerIsNotRepeated() {
        Call<Integer> call = send(false);
        for (RecordedChannel server : List.of(zero, one)) {
            Frame request = server.lastRequest();
            server.receive(Frames.failure(
                    pool, request.function(), request.slice(), request.call(), Code.STALE_LAYOUT, "of another tensor"));
        }
        assertThat(failure(call).code()).isEqualTo(Code.STALE_LAYOUT);
        assertOver();
    }

    @Test
    void theSchedulersErrorEndsTheCall() {
        Call<Integer> call = send(false);
        schedulerFailure = new PsException(Code.UNKNOWN_TENSOR, "cleared");
        refuse(zero, Code.STALE_LAYOUT);
        refuse(one, Code.STALE_LAYOUT);
        repeat();
        assertThat(failure(call)).hasMessage("UNKNOWN_TENSOR: cleared in acme.sum on tensor \"t\"");
        assertOver();
    }

    @Test
    void anErrorOfTheRepetitionIsThatOfTheCall() {
        Call<Integer> call = send(false);
        refuse(zero, Code.STALE_LAYOUT);
        refuse(one, Code.STALE_LAYOUT);
        repeat();
        refuse(zero, Code.BAD_REQUEST);
        answer(one, 1);
        assertThat(catchThrowableOfType(PsException.class, call::await).code()).isEqualTo(Code.BAD_REQUEST);
        assertOver();
    }

    @Test
    void theDeadlineIsThatOfTheFirstTime() {
        Call<Integer> call = send(false, Duration.ofSeconds(1));
        Awaitility.await().pollDelay(Duration.ZERO).until(() -> {
            client.expire();
            if (!call.isDone()) {
                while (!repeats.isEmpty()) {
                    repeats.remove().run();
                }
                refuse(zero, Code.STALE_LAYOUT);
                refuse(one, Code.STALE_LAYOUT);
            }
            return call.isDone();
        });
        assertThat(failure(call).code()).isEqualTo(Code.STALE_LAYOUT);
        assertThat(client.outstanding()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatIsCancelledIsNotRepeated(boolean sent) {
        Call<Integer> call = send(false);
        refuse(zero, Code.STALE_LAYOUT);
        refuse(one, Code.STALE_LAYOUT);
        if (sent) {
            repeat();
        }
        assertThat(call.cancel()).isTrue();
        if (!sent) {
            repeat();
        }
        answer(zero, 1);
        answer(one, 1);
        assertThat(failure(call).code()).isEqualTo(Code.CANCELLED);
        assertThat(client.outstanding()).isZero();
    }
}
