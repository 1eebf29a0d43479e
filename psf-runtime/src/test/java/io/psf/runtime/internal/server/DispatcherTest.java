package io.psf.runtime.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Binding;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.call.Numbers;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.RecordedChannel;
import io.psf.runtime.spi.transport.RequestHeader;
import java.nio.channels.CancelledKeyException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server does with frames, told by frames. */
@Timeout(60)
final class DispatcherTest {
    private static final Optimizer UNUSED = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    private static final Member WORKER = new Member(Role.WORKER, 0, "", 0);
    private static final Member GUEST = new Member(Role.WORKER, -1, "", 0);

    private final FramePool pool = new FramePool(1 << 20, 1 << 30);
    private final AtomicInteger count = new AtomicInteger();
    private final Caller caller = new Caller();
    private final BlockingQueue<CompletableFuture<Integer>> later = new LinkedBlockingQueue<>();
    private HostNode node;
    private Connections connections;
    private Dispatcher dispatcher;
    private final Map<Channel, Receiver> receivers = new HashMap<>();
    private Connection connection;

    private void received(Channel channel, Frame frame) {
        receivers.computeIfAbsent(channel, dispatcher::accept).received(channel, frame);
    }

    private void closed(Channel channel, PsException cause) {
        receivers.computeIfAbsent(channel, dispatcher::accept).closed(channel, cause);
    }

    /** A number at which the handler takes more memory than there is. */
    private static final int EXHAUST = 1_000_000;

    /** A number at which there is no memory for a while. */
    private static final int FULL = 2_000_000;

    /** An error of a heap that stays full for some attempts to tell it. */
    @SuppressWarnings("serial")
    private static final class Full extends OutOfMemoryError {
        private int attempts;

        @Override
        public String getMessage() {
            if (++attempts < 4) {
                throw new OutOfMemoryError("still");
            }
            return "full";
        }
    }

    private static final Numbers ADD = new Numbers("add", Place.SERVER, false);
    private static final Numbers LATER = new Numbers("later", Place.SERVER, false);
    private static final Numbers GET = new Numbers("get", Place.SERVER, true);
    /** Adds to the count, on a shard. */
    private static final Numbers PUT = new Numbers("put", Place.SHARD, false);

    /** A number at which {@link #PUT} waits until {@link #goOn}. */
    private static final int BLOCK = 3_000_000;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), 10, 3), new int[] {0});
    private final RequestHeader.Target shard =
            new RequestHeader.Target(layout.info().id().number(), 0, layout.stamp(0));
    private static final Numbers WIDTH = new Numbers("width", Place.SHARD, true);
    /** Answers as {@link #LATER} does. */
    private static final Numbers WAIT = new Numbers("wait", Place.SERVER, true);

    /** The other end. */
    private static final class Caller extends RecordedChannel {
        final BlockingQueue<Frame> answers = new LinkedBlockingQueue<>();
        /** Whether it breaks just as the next answer is offered. */
        volatile boolean breaks;

        /** Whether there is no memory as the next answer is offered. */
        volatile boolean starves;

        volatile boolean reads = true;

        @Override
        public void setReading(boolean reading) {
            reads = reading;
        }

        @Override
        public void send(Frame frame, long deadline) {
            answers.add(frame);
        }

        @Override
        public void offer(Frame frame) {
            if (breaks) {
                breaks = false;
                throw new CancelledKeyException();
            }
            if (starves) {
                starves = false;
                throw new OutOfMemoryError("no memory to send with");
            }
            if (isOpen()) {
                answers.add(frame);
            } else {
                frame.release();
            }
        }

        /** Waits for an answer: the number, or the error. */
        String next() throws InterruptedException {
            Frame frame = answers.take();
            assertThat(frame).as("answer").isNotNull();
            String text = frame.call() + ": "
                    + (frame.status() == Code.OK
                            ? String.valueOf(frame.reader(null).i32())
                            : frame.status() + " " + frame.reader(null).string());
            frame.release();
            return text;
        }
    }

    @BeforeEach
    void start() throws InterruptedException {
        Handlers handlers = Handlers.found(new ClassLoader(null) {})
                .with(Binding.node(ADD, "add", (request, node) -> {
                    if (request < 0) {
                        throw new PsException(Code.BAD_REQUEST, "number: " + request + " (expected: >= 0)");
                    }
                    if (request == EXHAUST) {
                        return new long[Integer.MAX_VALUE].length;
                    }
                    if (request == FULL) {
                        throw new Full();
                    }
                    return count.addAndGet(request);
                }))
                .with(Binding.nodeLater(WAIT, "wait", (request, node) -> {
                    CompletableFuture<Integer> answer = new CompletableFuture<>();
                    later.add(answer);
                    return answer;
                }))
                .with(Binding.nodeLater(LATER, "later", (request, node) -> {
                    CompletableFuture<Integer> answer = new CompletableFuture<>();
                    later.add(answer);
                    return answer;
                }))
                .with(Binding.shard(PUT, "put", (request, shard) -> {
                    if (request == BLOCK) {
                        return blocked();
                    }
                    return count.addAndGet(request);
                }))
                .with(Binding.shard(WIDTH, "width", (request, shard) -> shard.width()))
                .with(Binding.node(
                        GET,
                        "get",
                        (request, node) -> count.get() + 0 * node.call().attempt()));
        node = HostNode.start("test", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
        connections = new Connections(node, pool, 1 << 20);
        dispatcher = new Dispatcher(
                node, connections, pool, handlers, Set.of(GET.info().id()));
        node.setMembers(List.of(WORKER));
        connection = connect(caller);
        connections.open(connection, WORKER, 1, 77);
    }

    private int blocked() {
        begun.countDown();
        try {
            goOn.await();
            return 0;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() {
        goOn.countDown();
        dispatcher.close();
    }

    /** The connection that a channel has got by its first call. */
    private Connection connect(Caller channel) throws InterruptedException {
        assertThat(answer(channel, request(GET, 0, 1, 0))).startsWith("1: ");
        return Objects.requireNonNull(connections.get(channel));
    }

    /** Sends a request and waits for its answer. */
    private String answer(Caller from, Frame request) throws InterruptedException {
        received(from, request);
        return from.next();
    }

    private Frame request(Numbers function, int number, long call, int attempt) {
        return request(function, new RequestHeader.Target(0, 0, (short) 0), number, call, attempt);
    }

    private Frame request(Numbers function, RequestHeader.Target target, int number, long call, int attempt) {
        TupleWriter tuple = new TupleWriter();
        tuple.i32(number);
        return Frames.request(pool, new RequestHeader(function.info(), target, call, 600_000, attempt, 0), tuple);
    }

    @Test
    void aRepeatedCallIsAnsweredFromMemory() throws InterruptedException {
        assertThat(answer(caller, request(ADD, 5, 10, 0))).isEqualTo("10: 5");
        assertThat(answer(caller, request(ADD, 7, 11, 0))).isEqualTo("11: 12");
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThat(answer(caller, request(ADD, 5, 10, attempt))).isEqualTo("10: 5");
        }
        assertThat(count).hasValue(12);
    }

    private Frame nextFrame() throws InterruptedException {
        return caller.answers.take();
    }

    /** It has run before its slice went elsewhere: where the slice is now, it would run twice. */
    @Test
    void aRepeatedCallIsAnsweredFromMemoryThoughItsShardIsGone() throws InterruptedException {
        node.handled().create(layout, 0, UNUSED, filled -> {});
        assertThat(answer(caller, request(PUT, shard, 5, 10, 0))).isEqualTo("10: 5");
        assertThat(node.handled().drop(layout.info().id())).isOne();
        assertThat(answer(caller, request(PUT, shard, 5, 10, 1))).isEqualTo("10: 5");
        node.handled().create(layout.declaredIn(9), 0, UNUSED, filled -> {});
        assertThat(answer(caller, request(PUT, shard, 5, 10, 2))).isEqualTo("10: 5");
        assertThat(count).hasValue(5);
    }

    @Test
    void aRefusalIsCertainHoweverOftenTheCallWasSent() throws InterruptedException {
        node.handled().create(layout.declaredIn(9), 0, UNUSED, filled -> {});
        for (int attempt = 0; attempt < 3; attempt++) {
            received(caller, request(PUT, shard, 5, 10, attempt));
            Frame refusal = nextFrame();
            assertThat(refusal.status()).isEqualTo(Code.STALE_LAYOUT);
            assertThat(refusal.isRefusal()).as("has not run").isTrue();
            assertThat(refusal.layout()).as("the layout that it refuses").isEqualTo(layout.stamp(0));
        }
    }

    /** The caller is done with the call, so that nothing here knows any more whether it has run. */
    @Test
    void aCallThatIsForgottenIsNotSaidToBeRefused() throws InterruptedException {
        node.handled().create(layout, 0, UNUSED, filled -> {});
        assertThat(answer(caller, request(PUT, shard, 5, 10, 0))).isEqualTo("10: 5");
        received(caller, Frames.done(pool, 0, new long[] {10}));
        node.handled().drop(layout.info().id());
        received(caller, request(PUT, shard, 5, 10, 1));
        Frame answer = nextFrame();
        assertThat(answer.status()).isEqualTo(Code.UNKNOWN_TENSOR);
        assertThat(answer.isRefusal()).isFalse();
    }

    /** A refusal is not remembered as an answer: the caller sends the call again, by another layout. */
    @Test
    void aCallThatWaitedForAShardThatIsGoneRunsWhenItIsSentAgain() throws InterruptedException {
        node.handled().create(layout, 0, UNUSED, filled -> {});
        received(caller, request(PUT, shard, BLOCK, 10, 0));
        received(caller, request(PUT, shard, 5, 11, 0));
        received(caller, request(PUT, shard, 7, 12, 0));
        begun.await();
        node.handled().drop(layout.info().id());
        goOn.countDown();
        assertThat(caller.next()).isEqualTo("10: 0");
        for (int call = 11; call < 13; call++) {
            Frame refusal = nextFrame();
            assertThat(refusal.call()).isEqualTo(call);
            assertThat(refusal.status()).isEqualTo(Code.UNKNOWN_TENSOR);
            assertThat(refusal.isRefusal()).isTrue();
        }
        TensorLayout moved = layout.movedIn(9, List.of(0), List.of());
        node.handled().create(moved, 0, UNUSED, filled -> {});
        RequestHeader.Target there = new RequestHeader.Target(shard.tensor(), 0, moved.stamp(0));
        assertThat(answer(caller, request(PUT, there, 5, 11, 0))).isEqualTo("11: 5");
        assertThat(answer(caller, request(PUT, there, 5, 11, 1)))
                .as("from memory")
                .isEqualTo("11: 5");
        assertThat(count).hasValue(5);
    }

    @Test
    void aGuestReachesNoShard() throws InterruptedException {
        assertThat(node.handled().create(layout, 0, UNUSED, shard -> {})).isTrue();
        assertThat(answer(caller, request(WIDTH, shard, 0, 10, 0))).isEqualTo("10: 3");
        RequestHeader.Target outdated = new RequestHeader.Target(shard.tensor(), 0, (short) (layout.stamp(0) + 1));
        assertThat(answer(caller, request(WIDTH, outdated, 0, 11, 0)))
                .isEqualTo("11: STALE_LAYOUT layout of the tensor: the request has an outdated one (expected: [10,"
                        + " 3] with slice"
                        + " [0, 10), which this server has)");
        Caller guest = new Caller();
        connect(guest).identify(new Member(Role.WORKER, -1, "", 0)); // as a hello without a session does
        assertThat(answer(guest, request(WIDTH, shard, 0, 10, 0)))
                .isEqualTo("10: BAD_REQUEST call of \"width\" by a guest (expected: a function that is readOnly, at"
                        + " servers)");
        assertThat(answer(guest, request(ADD, 1, 11, 0))).startsWith("11: BAD_REQUEST call of \"add\" by a guest");
        assertThat(answer(guest, request(GET, 0, 12, 0))).isEqualTo("12: 0");
    }

    @Test
    void aHandlerThatTakesTooMuchMemoryFailsAloneAndTheLaneGoesOn() throws InterruptedException {
        assertThat(answer(caller, request(ADD, EXHAUST, 10, 0)))
                .startsWith("10: RESOURCE_EXHAUSTED ")
                .contains("OutOfMemoryError");
        assertThat(answer(caller, request(ADD, 5, 11, 0))).isEqualTo("11: 5");
    }

    @Test
    void anErrorThatLacksMemoryIsToldOnceThereIsSome() throws InterruptedException {
        assertThat(answer(caller, request(ADD, FULL, 10, 0)))
                .startsWith("10: RESOURCE_EXHAUSTED ")
                .endsWith(": full");
        assertThat(answer(caller, request(ADD, 5, 11, 0))).isEqualTo("11: 5");
    }

    @Test
    void anAnswerThatCannotBeSentForLackOfMemoryEndsTheConnectionAndIsSentOverTheNextOne() throws InterruptedException {
        caller.starves = true;
        received(caller, request(ADD, 5, 10, 0));
        await().forever().until(() -> !caller.isOpen());
        Caller next = new Caller();
        Connection fresh = connect(next);
        connections.resume(fresh, WORKER, 77, 1);
        assertThat(answer(next, request(ADD, 5, 10, 1))).isEqualTo("10: 5");
        assertThat(count).hasValue(5);
    }

    @Test
    void anErrorIsRememberedToo() throws InterruptedException {
        received(caller, request(ADD, -1, 10, 0));
        String error = caller.next();
        assertThat(error).isEqualTo("10: BAD_REQUEST number: -1 (expected: >= 0)");
        assertThat(answer(caller, request(ADD, -1, 10, 1))).isEqualTo(error);
    }

    @Test
    void readOnlyCallsAreRunAgain() throws InterruptedException {
        assertThat(answer(caller, request(GET, 0, 10, 0))).isEqualTo("10: 0");
        assertThat(answer(caller, request(ADD, 3, 11, 0))).isEqualTo("11: 3");
        assertThat(answer(caller, request(GET, 0, 10, 1))).isEqualTo("10: 3");
        assertThat(connection.answers().size()).isEqualTo(1);
    }

    @Test
    void whatTheCallerIsDoneWithIsForgotten() throws InterruptedException {
        for (int call = 10; call < 20; call++) {
            received(caller, request(ADD, 1, call, 0));
            caller.next();
        }
        assertThat(connection.answers().size()).isEqualTo(10);
        received(caller, Frames.done(pool, 13, new long[] {15, 17, 99}));
        assertThat(connection.answers().size()).isEqualTo(5);
        assertThat(answer(caller, request(ADD, 1, 14, 1))).isEqualTo("14: 5");
    }

    /** An overheard frame, say, that another sends once more. */
    @Test
    void whatTheCallerIsDoneWithIsNotRunAgain() throws InterruptedException {
        for (int call = 10; call < 20; call++) {
            received(caller, request(ADD, 1, call, 0));
            caller.next();
        }
        received(caller, Frames.done(pool, 13, new long[] {15, 17}));
        for (int call : new int[] {10, 12, 15, 17}) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThat(answer(caller, request(ADD, 1, call, attempt)))
                        .startsWith(call + ": CANCELLED call " + call + ": its caller already has");
            }
        }
        assertThat(answer(caller, request(ADD, 1, 16, 1))).isEqualTo("16: 7");
        assertThat(count).hasValue(10);
    }

    /** What was given up while the connection was broken is told in no other way. */
    @Test
    void whatIsBelowTheOldestAndHasNotAnsweredEnds() throws InterruptedException {
        received(caller, request(LATER, 0, 10, 0));
        CompletableFuture<Integer> answer = answerLater();
        received(caller, Frames.done(pool, 11, new long[0]));
        assertThat(caller.next()).isEqualTo("10: CANCELLED call: cancelled by its caller");
        assertThatThrownBy(() -> answer.get()).hasMessageContaining("call: cancelled by its caller");
        assertThat(connection.answers().size()).isZero();
    }

    @Test
    void aCallerThatIsNeverDoneIsBoundedAndTold() throws InterruptedException {
        int n = 10_000; // whose answers take 256 bytes each; the bound is 1 MB
        for (int call = 10; call < n; call++) {
            received(caller, request(ADD, 0, call, 0));
            caller.next();
        }
        assertThat(connection.answers().size()).isLessThan(4200).isGreaterThan(4000);
        assertThat(answer(caller, request(ADD, 1, 10, 1)))
                .startsWith("10: UNAVAILABLE call 10: sent again, but its answer is no longer kept");
        assertThat(count).hasValue(0);
    }

    @Test
    void aSessionGoesOnOverAnotherChannel() throws InterruptedException {
        assertThat(answer(caller, request(ADD, 5, 10, 0))).isEqualTo("10: 5");
        caller.close();
        closed(caller, new PsException(Code.UNAVAILABLE, "broken"));
        connections.expire();
        Caller next = new Caller();
        Connection fresh = connect(next);
        assertThatThrownBy(() -> connections.resume(fresh, WORKER, 78, 1)).hasMessageContaining("session: unknown");
        assertThatThrownBy(() -> connections.resume(fresh, new Member(Role.WORKER, 1, "", 0), 77, 1))
                .hasMessageContaining("session: unknown");
        connections.resume(fresh, WORKER, 77, 1);
        assertThat(answer(next, request(ADD, 5, 10, 1))).isEqualTo("10: 5");
        assertThat(answer(next, request(ADD, 1, 11, 0))).isEqualTo("11: 6");
    }

    @Test
    void aHelloThatComesLateDoesNotTakeTheSessionBack() throws InterruptedException {
        Caller second = new Caller();
        Connection secondHello = connect(second);
        Caller third = new Caller();
        connections.resume(connect(third), WORKER, 77, 2);
        assertThatThrownBy(() -> connections.resume(secondHello, WORKER, 77, 1)).hasMessageContaining("outdated");
        assertThat(third.isOpen()).isTrue();
        assertThat(answer(third, request(ADD, 1, 11, 0))).isEqualTo("11: 1");
    }

    @Test
    void aSessionEndsWithItsMember() throws InterruptedException {
        closed(caller, new PsException(Code.UNAVAILABLE, "broken"));
        connections.setPresence((member, since) -> false);
        connections.expire();
        Connection fresh = connect(new Caller());
        assertThatThrownBy(() -> connections.resume(fresh, WORKER, 77, 1)).hasMessageContaining("session: unknown");
        assertThat(connection.isOpen()).isFalse();
    }

    /** Its hello may have waited for its turn for longer than its channel stood. */
    @Test
    void aSessionThatIsOpenedTooLateDoesNotStay() throws InterruptedException {
        Caller gone = new Caller();
        Connection late = connect(gone);
        gone.close();
        closed(gone, new PsException(Code.UNAVAILABLE, "broken"));
        connections.open(late, WORKER, 1, 79);
        connections.setPresence((member, since) -> false);
        connections.expire();
        assertThat(late.isOpen()).isFalse();
        Connection fresh = connect(new Caller());
        assertThatThrownBy(() -> connections.resume(fresh, WORKER, 79, 1)).hasMessageContaining("session: unknown");
    }

    @Test
    void aSessionOfAnotherIsNotOpenedTwice() throws InterruptedException {
        Connection fresh = connect(new Caller());
        assertThatThrownBy(() -> connections.open(fresh, WORKER, 1, 77)).hasMessageContaining("in use already");
        assertThatThrownBy(() -> connections.open(fresh, WORKER, 1, 0)).hasMessageContaining("not 0");
    }

    private Frame chain(int... numbers) {
        return chain(ADD, numbers);
    }

    private Frame chain(Numbers first, int... numbers) {
        return chainFrom(10, first, numbers);
    }

    private Frame chainFrom(long call, Numbers first, int... numbers) {
        List<RequestHeader> headers = new ArrayList<>();
        List<TupleWriter> tuples = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            TupleWriter tuple = new TupleWriter();
            tuple.i32(numbers[i]);
            tuples.add(tuple);
            headers.add(RequestHeader.toNode((i == 0 ? first : ADD).info(), 0, call + i, 10_000));
        }
        return Frames.chain(pool, headers, tuples);
    }

    @Test
    void aChainIsRunInOrderUntilOneFails() throws InterruptedException {
        received(caller, chain(1, 2, 3));
        assertThat(List.of(caller.next(), caller.next(), caller.next())).containsExactly("10: 1", "11: 3", "12: 6");
        received(caller, Frames.done(pool, 20, new long[0]));
        received(caller, chainFrom(20, ADD, 1, -2, 3));
        assertThat(List.of(caller.next(), caller.next(), caller.next()))
                .containsExactly(
                        "20: 7",
                        "21: BAD_REQUEST number: -2 (expected: >= 0)",
                        "22: CANCELLED not run, since a call before it in the chain failed: BAD_REQUEST: number: -2"
                                + " (expected: >= 0)");
        assertThat(count).hasValue(7);
    }

    @Test
    void aChainIsRunToItsEndOnceItsFirstCallHasAnsweredLater() throws InterruptedException {
        received(caller, chain(LATER, 0, 2, 3));
        answerLater().complete(1);
        assertThat(List.of(caller.next(), caller.next(), caller.next())).containsExactly("10: 1", "11: 2", "12: 5");
        received(caller, Frames.done(pool, 20, new long[0]));
        received(caller, chainFrom(20, LATER, 0, 2, 3));
        answerLater().completeExceptionally(new PsException(Code.BAD_REQUEST, "on purpose"));
        assertThat(List.of(caller.next(), caller.next(), caller.next()))
                .containsExactly(
                        "20: BAD_REQUEST on purpose",
                        "21: CANCELLED not run, since a call before it in the chain failed: BAD_REQUEST: on purpose",
                        "22: CANCELLED not run, since a call before it in the chain failed: BAD_REQUEST: on purpose");
    }

    @Test
    void aChainIsRunToItsEndThoughAnAnswerCannotBeSent() throws InterruptedException {
        received(caller, chain(LATER, 0, 2, 3));
        CompletableFuture<Integer> answer = answerLater();
        caller.breaks = true;
        answer.complete(1);
        assertThat(List.of(caller.next(), caller.next())).containsExactly("11: 2", "12: 5");
        received(caller, chain(LATER, 0, 2, 3));
        assertThat(List.of(caller.next(), caller.next(), caller.next())).containsExactly("10: 1", "11: 2", "12: 5");
    }

    /** The answer that is due, once all that has been sent has had its turn. */
    private CompletableFuture<Integer> answerLater() throws InterruptedException {
        assertThat(answer(caller, request(GET, 0, 9, 0))).startsWith("9: ");
        return later.take();
    }

    @Test
    void whatHasRunOfAChainIsNotRunAgain() throws InterruptedException {
        assertThat(answer(caller, request(ADD, 1, 10, 0))).isEqualTo("10: 1");
        received(caller, chain(1, 2, 3));
        assertThat(List.of(caller.next(), caller.next(), caller.next())).containsExactly("10: 1", "11: 3", "12: 6");
    }

    @Test
    void framesThatAreNotWhatTheySayAreAnsweredAndNothingElse() throws InterruptedException {
        Frame chain = chain(1, 2);
        chain.bytes().put(Frame.HEADER + 4, (byte) 0xB2);
        received(caller, chain);
        assertThat(caller.next()).contains("kind of a frame in a chain: 0xb2");
        Frame cut = chain(1, 2);
        cut.bytes().putInt(Frame.HEADER, 1 << 20);
        received(caller, cut);
        assertThat(caller.next()).contains("length: 1048576");
        Frame done = Frames.done(pool, 0, new long[] {1});
        done.bytes().putInt(Frame.HEADER, 1 << 30);
        received(caller, done);
        assertThat(answer(caller, request(ADD, 1, 20, 0))).isEqualTo("20: 1");
    }

    @Test
    void callsOfAPeerThatTakesNoAnswersWait() throws InterruptedException {
        int call = 20;
        for (Member peer : List.of(WORKER, GUEST)) {
            Caller lazy = new Caller();
            Connection on = connect(lazy);
            on.identify(peer);
            on.sent(lazy, -(5 << 20)); // as if it had 5 MB to take
            received(lazy, request(GET, 0, call, 0));
            received(caller, request(ADD, 0, call, 0)); // runs behind it
            assertThat(caller.next()).isEqualTo(call + ": 0");
            assertThat(lazy.answers).isEmpty();
            on.sent(lazy, 5 << 20);
            assertThat(lazy.next()).isEqualTo(call + ": 0");
            call++;
        }
    }

    @Test
    void callsOfAGuestRunOneAtATime() throws InterruptedException {
        Caller guest = new Caller();
        Connection on = connect(guest);
        connections.accept(on, GUEST);
        for (int call = 10; call < 13; call++) {
            received(guest, request(WAIT, 0, call, 0));
        }
        for (int call = 10; call < 13; call++) {
            CompletableFuture<Integer> answer = later.take();
            received(caller, request(ADD, 0, call, 0)); // behind the next call of the guest, which could run by now
            assertThat(caller.next()).isEqualTo(call + ": 0");
            assertThat(later).isEmpty();
            answer.complete(call);
            assertThat(guest.next()).isEqualTo(call + ": " + call);
        }
    }

    /** The limit is a quarter of the pool's bound. */
    @Test
    void callsOfAMemberThatTakesNoAnswersCountAgainstTheMemoryOfTheNode() throws InterruptedException {
        Caller other = new Caller();
        connect(other).sent(other, -(300 << 20)); // as if it had 300 MB to take
        Caller lazy = new Caller();
        received(lazy, request(GET, 0, 1, 0));
        Frame first = lazy.answers.take();
        Connection on = Objects.requireNonNull(connections.get(lazy));
        on.identify(WORKER);
        received(lazy, request(GET, 0, 20, 0));
        connect(new Caller()); // its call runs behind that one, since it has no answer to take
        assertThat(lazy.answers).isEmpty();
        on.sent(lazy, first.length());
        assertThat(lazy.next()).isEqualTo("20: 0");
    }

    @Test
    void aWorkerHasANumberOfReadOnlyCallsThatAreAnsweredLater() throws InterruptedException {
        int most = PeerLimits.CALLS_OF_A_WORKER;
        CompletableFuture<Integer> first = null;
        for (int call = 10; call <= 10 + most; call++) {
            received(caller, request(WAIT, 0, call, 0));
        }
        received(caller, request(LATER, 0, 500, 0)); // others may wait for this one
        for (int i = 0; i <= most; i++) { // all but the last of the first ones
            CompletableFuture<Integer> answer = later.take();
            if (i == most) {
                answer.complete(5);
                assertThat(caller.next()).isEqualTo("500: 5");
                assertThat(later).isEmpty();
            } else if (i == 0) {
                first = answer;
            }
        }
        Objects.requireNonNull(first).complete(6);
        assertThat(caller.next()).isEqualTo("10: 6");
        later.take().complete(7);
        assertThat(caller.next()).isEqualTo(10 + most + ": 7");
    }

    @Test
    void aNodeHasANumberOfGuests() throws InterruptedException {
        List<Caller> guests = new ArrayList<>();
        for (int i = 0; i < PeerLimits.GUESTS; i++) {
            Caller guest = new Caller();
            connections.accept(connect(guest), GUEST);
            guests.add(guest);
        }
        Connection more = connect(new Caller());
        assertThatThrownBy(() -> connections.accept(more, GUEST))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("RESOURCE_EXHAUSTED")
                .hasMessageContaining("guests of this node: 101 (expected: at most 100; close some of them)");
        assertThat(more.member()).isNull();
        closed(guests.get(0), new PsException(Code.UNAVAILABLE, "left"));
        connections.accept(more, GUEST);
    }

    @Test
    void aMemberHasANumberOfConnections() throws InterruptedException {
        for (int i = 1; i < PeerLimits.CONNECTIONS_OF_A_MEMBER; i++) { // one is open already
            connections.open(connect(new Caller()), WORKER, 1, 100 + i);
        }
        Connection more = connect(new Caller());
        assertThatThrownBy(() -> connections.open(more, WORKER, 1, 200))
                .hasMessageContaining("RESOURCE_EXHAUSTED")
                .hasMessageContaining("to this node: 17 (expected: at most 16; close some of them)");
        assertThatThrownBy(() -> connections.resume(more, WORKER, 200, 1)).hasMessageContaining("session: unknown");
        Member server = new Member(Role.SERVER, 0, "", 0);
        for (int i = 0; i < PeerLimits.CONNECTIONS_OF_A_MEMBER; i++) {
            connections.accept(connect(new Caller()), server);
        }
        assertThatThrownBy(() -> connections.accept(more, server)).hasMessageContaining("17 (expected: at most 16;");
    }

    /** A frame of another kind would cost more than its bytes, or change what is known of calls. */
    @Test
    void aStrangerSendsRequestsAlone() throws InterruptedException {
        Caller stranger = new Caller();
        connect(stranger);
        Frame answer = Frames.failure(pool, GET.info().id(), 0, 1, Code.OK, "");
        for (Frame frame : List.of(Frames.done(pool, 0, new long[] {1}), chain(1, 2), answer, Frames.ping(pool))) {
            String kind = frame.kind().name();
            assertThatThrownBy(() -> received(stranger, frame))
                    .hasMessageContaining("PROTOCOL: frame: " + kind + " before the hello (expected: REQUEST)");
        }
        assertThat(answer(stranger, request(ADD, 1, 20, 0)))
                .startsWith("20: PROTOCOL call of \"add\" before the hello");
        assertThat(stranger.answers).isEmpty();
    }

    /** Each of the requests is some objects. */
    @Test
    void aChainIsRefusedBeforeItsRequestsTakeMoreMemoryThanThereIs() throws InterruptedException {
        FramePool small = new FramePool(1 << 20, 8 << 20);
        HostNode other = HostNode.start(
                "small", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, small);
        Connections its = new Connections(other, small, 1 << 20);
        try (Dispatcher tight = new Dispatcher(
                other,
                its,
                small,
                Handlers.found(new ClassLoader(null) {})
                        .with(Binding.node(GET, "get", (request, node) -> 1))
                        .with(Binding.node(ADD, "add", (request, node) -> 1)),
                Set.of(GET.info().id()))) {
            Caller peer = new Caller();
            Receiver receiver = tight.accept(peer);
            receiver.received(peer, request(GET, 0, 1, 0));
            assertThat(peer.next()).isEqualTo("1: 1");
            its.open(Objects.requireNonNull(its.get(peer)), WORKER, 1, 77);
            long before = small.usedBytes();
            int n = 5000; // whose objects take more than a quarter of the memory
            receiver.received(peer, chainFrom(10, GET, new int[n]));
            for (int i = 0; i < n; i++) {
                assertThat(peer.next())
                        .startsWith(10 + i + ": RESOURCE_EXHAUSTED objects that requests of one peer become: 2560000"
                                + " bytes (expected: at most 2097152 now");
            }
            receiver.received(peer, chainFrom(10, GET, new int[1000]));
            for (int i = 0; i < 1000; i++) {
                assertThat(peer.next()).isEqualTo(10 + i + ": 1");
            }
            receiver.received(peer, Frames.done(pool, 5000, new long[0]));
            await().forever().until(() -> small.usedBytes() == before);
        }
    }

    @Test
    void aGuestSendsNoChain() throws InterruptedException {
        Caller guest = new Caller();
        connections.accept(connect(guest), GUEST);
        received(guest, chainFrom(10, GET, 1, 2));
        assertThat(guest.next()).isEqualTo("0: PROTOCOL chain of a guest (expected: one request in a frame)");
        assertThat(guest.answers).isEmpty();
    }

    /** Else it would take the memory that the frames of members wait for. */
    @Test
    void aGuestHasNoMemoryForALongFrame() throws InterruptedException {
        Caller guest = new Caller();
        Connection on = connect(guest);
        connections.accept(on, GUEST);
        assertThat(on.admits(PeerLimits.GUEST_BYTES)).isTrue();
        assertThatThrownBy(() -> on.admits(70 << 20))
                .hasMessageContaining(
                        "RESOURCE_EXHAUSTED: bytes of a guest's frame: 73400320 (expected: at most 262144)");
        assertThat(on.rank()).isEqualTo(Integer.MAX_VALUE);
        assertThat(connection.rank()).isZero();
    }

    /** Each waiting request is more than its frame. */
    @Test
    void manySmallRequestsCountWithTheirObjects() throws InterruptedException {
        Caller flooding = new Caller();
        Connection guest = connect(flooding);
        connections.accept(guest, GUEST);
        int n = 0;
        while (flooding.reads && n < 10_000) {
            received(flooding, request(WAIT, 0, 10 + n++, 0));
        }
        assertThat(n).isBetween(100, PeerLimits.GUEST_BYTES / PeerLimits.REQUEST_OVERHEAD + 1);
    }
}
