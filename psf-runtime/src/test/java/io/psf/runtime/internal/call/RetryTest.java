package io.psf.runtime.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RecordedChannel;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls whose layouts turn out to be out of date. */
@NullUnmarked
@Timeout(20)
final class RetryTest {
    private static final Numbers WRITE = new Numbers("acme.sum", Place.SHARD, false);
    private static final Numbers READ = new Numbers("acme.sum", Place.SHARD, true);

    private final FramePool pool = new FramePool(1 << 20);
    private final CallClient client = new CallClient(pool);
    private final RecordedChannel zero = new RecordedChannel();
    private final RecordedChannel one = new RecordedChannel();
    private final Queue<Runnable> repeats = new ConcurrentLinkedQueue<>();
    private int doubts;
    private List<Peer> servers;
    /** The layout that the scheduler has. */
    private TensorLayout current = layout(10, 0, 1);

    private @Nullable PsException schedulerFailure;
    private @Nullable PsException unreachable;

    private static TensorLayout layout(int rows, int... servers) {
        return TensorLayout.even(new TensorInfo(Numbers.TENSOR, rows, 1), servers);
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
                if (unreachable != null) {
                    throw unreachable;
                }
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
        return client.start(
                client.onShards(readOnly ? READ : WRITE, 1, null, layout(10, 0, 1), other -> current, servers, limits));
    }

    private Call<Integer> send(boolean readOnly) {
        return send(readOnly, Duration.ofHours(1));
    }

    private void refuse(RecordedChannel server, Code code) {
        server.refuse(server.lastRequest(), code, "as made last");
    }

    private void answer(RecordedChannel server, int with) {
        server.answer(WRITE.info(), server.lastRequest(), with);
    }

    private void repeat() {
        Awaitility.await().forever().until(() -> !repeats.isEmpty());
        while (!repeats.isEmpty()) {
            repeats.remove().run();
        }
    }

    private static PsException failure(Call<?> call) {
        assertThat(call.isDone()).as("ended").isTrue();
        return catchThrowableOfType(PsException.class, call::await);
    }

    private void refuseBoth() {
        refuse(zero, Code.STALE_LAYOUT);
        refuse(one, Code.STALE_LAYOUT);
    }

    private void assertAnswered(Call<Integer> call, int sum) {
        assertThat(call.await()).isEqualTo(sum);
        assertOver();
    }

    private void assertFailed(Call<?> call, Code code) {
        assertThat(failure(call).code()).isEqualTo(code);
        assertOver();
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
        assertAnswered(call, 5);
    }

    @Test
    void aRepetitionWithAnOldLayoutIsRepeatedAgain() {
        Call<Integer> call = send(false);
        for (int i = 0; i < 3; i++) {
            refuseBoth();
            repeat();
        }
        answer(zero, 2);
        answer(one, 3);
        assertAnswered(call, 5);
    }

    /** One server has nothing of the tensor yet, or any more. */
    @Test
    void aRepetitionThatOneServerDoesNotKnowIsRepeatedAgain() {
        Call<Integer> call = send(false);
        refuseBoth();
        repeat();
        refuse(zero, Code.UNKNOWN_TENSOR);
        refuse(one, Code.STALE_LAYOUT);
        repeat();
        answer(zero, 2);
        answer(one, 3);
        assertAnswered(call, 5);
    }

    /** As if the scheduler was lost: no question is sent. */
    @Test
    void aCallWhoseRepetitionCannotBeginFailsAtOnce() {
        Call<Integer> call = send(false);
        unreachable = new PsException(Code.UNAVAILABLE, "lost the scheduler");
        refuseBoth();
        assertThat(failure(call)).hasMessageContaining("lost the scheduler");
        assertOver();
    }

    /** The shard that has run the call would run it twice. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatAShardHasRunFailsIfTheSlicesAreOthers(boolean declaredAgain) {
        Call<Integer> write = send(false);
        current = declaredAgain ? current.declaredIn(7) : layout(20, 0, 1);
        answer(zero, 1);
        refuse(one, Code.STALE_LAYOUT);
        repeat();
        assertThat(failure(write).code()).isEqualTo(Code.STALE_LAYOUT);
        assertThat(doubts).isOne();
        assertThat(zero.sent()).hasSize(1);
        assertThat(one.sent()).hasSize(1);
        assertOver();
    }

    @Test
    void aCallThatAShardHasRunStartsOverIfItIsReadOnly() {
        Call<Integer> read = send(true);
        current = layout(20, 0, 1);
        answer(zero, 1);
        refuse(one, Code.STALE_LAYOUT);
        repeat();
        answer(zero, 2);
        answer(one, 3);
        assertThat(read.await()).as("without the answer of the first time").isEqualTo(5);
        assertOver();
    }

    // Parts that are sent again alone.

    private static List<Integer> slices(RecordedChannel server) {
        return server.sent().stream()
                .filter(frame -> frame.kind() == Frame.Kind.REQUEST)
                .map(Frame::slice)
                .toList();
    }

    private static Frame request(RecordedChannel server, int slice) {
        return server.sent().stream()
                .filter(frame -> frame.slice() == slice)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(names = {"STALE_LAYOUT", "UNKNOWN_TENSOR"})
    void aPartWhoseSliceHasMovedIsSentAgainAloneToItsServer(Code refusal) {
        Call<Integer> call = send(false);
        answer(zero, 1);
        current = current.movedIn(9, List.of(0, 0), List.of());
        refuse(one, refusal);
        assertThat(call.isDone()).isFalse();
        assertThat(call.parts().part(0)).isEqualTo(new Part(0, servers.get(0), 0, Part.State.ANSWERED));
        assertThat(call.parts().part(1)).isEqualTo(new Part(1, servers.get(1), 0, Part.State.FAILED));
        repeat();
        assertThat(call.parts().part(1)).isEqualTo(new Part(1, servers.get(0), 1, Part.State.SENT));
        assertThat(slices(zero)).containsExactly(0, 1);
        assertThat(slices(one)).containsExactly(1);
        Frame again = zero.lastRequest();
        assertThat(again.layout()).isEqualTo(current.stamp(1));
        assertThat(again.attempt()).as("sends to this server before").isZero();
        answer(zero, 5);
        assertAnswered(call, 6);
    }

    /** The server may not have made the slice yet. */
    @Test
    void aPartIsSentAgainUntilItsServerHasTheLayout() {
        Call<Integer> call = send(false);
        answer(one, 1);
        current = current.movedIn(9, List.of(0, 1), List.of());
        for (int i = 0; i < 4; i++) {
            refuse(zero, Code.STALE_LAYOUT);
            repeat();
        }
        assertThat(slices(zero)).containsExactly(0, 0, 0, 0, 0);
        answer(zero, 5);
        assertThat(slices(one)).containsExactly(1);
        assertAnswered(call, 6);
    }

    @Test
    void aPartThatNoServerHasFailsTheCallUnlessItHasMoved() {
        Call<Integer> call = send(false);
        answer(zero, 1);
        refuse(one, Code.UNKNOWN_TENSOR);
        repeat();
        assertThat(failure(call).code()).isEqualTo(Code.UNKNOWN_TENSOR);
        assertThat(slices(one)).containsExactly(1);
        assertOver();
    }

    /** The other part may wait for other workers. */
    @Test
    void aPartIsSentAgainWhileAnotherIsInFlight() {
        Call<Integer> call = send(false);
        Frame waiting = one.lastRequest();
        current = current.movedIn(9, List.of(1, 1), List.of());
        refuse(zero, Code.STALE_LAYOUT);
        assertThat(repeats).as("the others may be refused, too").isEmpty();
        Awaitility.await().forever().until(() -> {
            client.expire();
            return !repeats.isEmpty();
        });
        repeat();
        assertThat(slices(one)).containsExactly(1, 0);
        answer(one, 2);
        one.answer(WRITE.info(), waiting, 3);
        assertAnswered(call, 5);
    }

    /** The call has the later layout by then, which the part in flight was not sent by. */
    @Test
    void aPartInFlightWhoseSliceMovesIsSentAgainThoughTheCallHasTheLaterLayout() {
        Call<Integer> call = send(false);
        Frame inFlight = one.lastRequest();
        current = current.movedIn(9, List.of(1, 0), List.of());
        refuse(zero, Code.STALE_LAYOUT);
        Awaitility.await().until(() -> {
            client.expire();
            return !repeats.isEmpty();
        });
        repeat();
        answer(one, 3);
        one.refuse(inFlight, Code.UNKNOWN_TENSOR, "moved");
        repeat();
        assertThat(slices(zero)).containsExactly(0, 1);
        answer(zero, 2);
        assertAnswered(call, 5);
    }

    /** The part in flight keeps the stamp with which it was sent, over the next channel, too. */
    @Test
    void aPartInFlightIsRefusedByItsOwnStamp() {
        servers.get(1).onDisconnect(peer -> {});
        Call<Integer> call = send(false);
        short before = one.lastRequest().layout();
        current = current.movedIn(9, List.of(1, 0), List.of());
        refuse(zero, Code.STALE_LAYOUT);
        Awaitility.await().forever().until(() -> {
            client.expire();
            return !repeats.isEmpty();
        });
        repeat();
        breakOff(one);
        RecordedChannel next = resumed();
        assertThat(next.sent())
                .extracting(Frame::slice, Frame::layout)
                .contains(tuple(0, current.stamp(0)), tuple(1, before));
        Frame moved = request(next, 1);
        next.refuse(moved, Code.STALE_LAYOUT, "moved");
        Frame stays = request(next, 0);
        next.answer(WRITE.info(), stays, 3);
        repeat();
        assertThat(slices(zero)).containsExactly(0, 1);
        answer(zero, 2);
        assertAnswered(call, 5);
    }

    private static void breakOff(RecordedChannel server) {
        server.breakOff(new PsException(Code.UNAVAILABLE, "broken"));
    }

    private RecordedChannel resumed() {
        RecordedChannel next = new RecordedChannel();
        assertThat(client.resume(servers.get(1), client.connect(next.transport(), "", 0, "server 1"), 0))
                .isTrue();
        return next;
    }

    @Test
    void aPartThatWasPointedAtAnotherServerIsSentThereAgainAfterABreak() {
        servers.get(1).onDisconnect(peer -> {});
        Call<Integer> call = send(false);
        answer(one, 1);
        breakOff(one);
        current = current.movedIn(9, List.of(1, 1), List.of());
        refuse(zero, Code.STALE_LAYOUT);
        repeat();
        assertThat(slices(one)).as("while the connection is made").containsExactly(1);
        RecordedChannel next = resumed();
        assertThat(slices(next)).containsExactly(0);
        breakOff(next);
        RecordedChannel last = resumed();
        assertThat(last.lastRequest().attempt()).isEqualTo(1);
        answer(last, 4);
        assertAnswered(call, 5);
    }

    /**
     * Two sends of a part may be refused, over one channel each, and the second refusal may be heard after the third
     * send.
     */
    @Test
    void aRefusalThatIsHeardLateIsNotThatOfThePartAsItWasSentAgain() {
        servers.get(1).onDisconnect(peer -> {});
        Call<Integer> call = send(false);
        answer(zero, 1);
        Frame first = one.lastRequest();
        breakOff(one);
        RecordedChannel next = resumed();
        Frame second = next.lastRequest();
        one.refuse(first, Code.STALE_LAYOUT, "over the old channel");
        assertThat(repeats).as("the answer to the second send decides").isEmpty();
        current = current.movedIn(9, List.of(0, 1), List.of());
        next.refuse(second, Code.STALE_LAYOUT, "over the new channel");
        repeat();
        assertThat(next.lastRequest().layout()).isEqualTo(current.stamp(1));
        next.refuse(second, Code.STALE_LAYOUT, "once more");
        assertThat(repeats).isEmpty();
        answer(next, 4);
        assertAnswered(call, 5);
    }

    @Test
    void aPartIsNotSentAgainIfAnotherHasARealError() {
        Call<Integer> call = send(false);
        refuse(zero, Code.BAD_REQUEST);
        current = current.movedIn(9, List.of(0, 0), List.of());
        refuse(one, Code.STALE_LAYOUT);
        assertFailed(call, Code.BAD_REQUEST);
    }

    @Test
    void aPartThatIsPointedAtALostServerFailsTheCall() {
        Call<Integer> call = send(false);
        answer(one, 1);
        client.peerLost(servers.get(1), new PsException(Code.UNAVAILABLE, "lost server 1"));
        current = current.movedIn(9, List.of(1, 1), List.of());
        refuse(zero, Code.STALE_LAYOUT);
        repeat();
        assertThat(failure(call)).hasMessageStartingWith("UNAVAILABLE: lost server 1");
        assertOver();
    }

    @Test
    void aCallThatIsCancelledSendsNoPartAgain() {
        Call<Integer> call = send(false);
        answer(zero, 1);
        current = current.movedIn(9, List.of(0, 0), List.of());
        refuse(one, Code.STALE_LAYOUT);
        assertThat(call.cancel()).isTrue();
        repeat();
        assertThat(slices(zero)).containsExactly(0);
        assertFailed(call, Code.CANCELLED);
    }

    /** A part of the repetition has run: the whole of it must not be repeated once more. */
    @Test
    void aRepetitionOfWhichAPartHasRunSendsTheOtherAlone() {
        Call<Integer> call = send(false);
        current = layout(20, 0, 1);
        refuseBoth();
        repeat();
        answer(zero, 1);
        refuse(one, Code.STALE_LAYOUT); // it has not created its slice again yet
        repeat();
        assertThat(slices(zero)).as("the first time and its repetition").containsExactly(0, 0);
        assertThat(slices(one)).containsExactly(1, 1, 1);
        answer(one, 4);
        assertAnswered(call, 5);
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
        assertFailed(call, Code.STALE_LAYOUT);
    }

    @Test
    void theSchedulersErrorEndsTheCall() {
        Call<Integer> call = send(false);
        schedulerFailure = new PsException(Code.UNKNOWN_TENSOR, "cleared");
        refuseBoth();
        repeat();
        assertThat(failure(call)).hasMessage("UNKNOWN_TENSOR: cleared in acme.sum on tensor \"t\"");
        assertOver();
    }

    @Test
    void anErrorOfTheRepetitionIsThatOfTheCall() {
        Call<Integer> call = send(false);
        refuseBoth();
        repeat();
        refuse(zero, Code.BAD_REQUEST);
        answer(one, 1);
        assertThat(catchThrowableOfType(PsException.class, call::await).code()).isEqualTo(Code.BAD_REQUEST);
        assertOver();
    }

    @Test
    void theDeadlineIsThatOfTheFirstTime() {
        Call<Integer> call = send(false, Duration.ofMillis(300));
        refuseBoth(); // else a call that is late fails for want of answers
        Awaitility.await().pollDelay(Duration.ZERO).until(() -> {
            client.expire();
            if (!call.isDone()) {
                while (!repeats.isEmpty()) {
                    repeats.remove().run();
                }
                refuseBoth();
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
        refuseBoth();
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
