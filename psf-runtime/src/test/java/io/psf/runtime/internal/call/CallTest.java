package io.psf.runtime.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a call ends, whatever the caller's own code does on the way. */
@NullUnmarked
@Timeout(20)
final class CallTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    private final CallClient client = new CallClient(new FramePool(1 << 20));
    private final Numbers own = new Numbers("acme.own", Place.SERVER, false);
    private final RecordedChannel first = new RecordedChannel();
    private final RecordedChannel second = new RecordedChannel();
    private List<Peer> servers;

    @BeforeEach
    void connect() {
        servers = List.of(
                client.connect(first.transport(), "", 0, "server 0"),
                client.connect(second.transport(), "", 0, "server 1"));
    }

    private Call<Integer> call(Duration deadline) {
        return client.start(client.onNodes(own, 1, servers, CallLimits.of(deadline.toNanos())));
    }

    private Call<Integer> call() {
        return call(Duration.ofHours(1));
    }

    /** Both servers answer what was sent last. */
    private void answer() {
        answer(first, 3);
        answer(second, 4);
    }

    private void answer(RecordedChannel channel, int number) {
        channel.answer(own.info(), channel.lastRequest(), number);
    }

    private static PsException failure(Call<?> call) {
        assertThat(call.isDone()).as("ended").isTrue();
        return catchThrowableOfType(PsException.class, call::await);
    }

    private void assertOver() {
        assertThat(client.outstanding()).isZero();
    }

    @Test
    void aMergeThatAnswersNullEndsTheCall() {
        own.result = sum -> null;
        Call<Integer> call = call();
        answer();
        assertThat(failure(call)).hasMessage("CALLER_FAILED: merge or finish: null (expected: a response) in acme.own");
        assertOver();
    }

    static final class Sneaky {
        @SuppressWarnings("unchecked") // what a compiler of another language lets through
        static <E extends Throwable> RuntimeException sneak(Throwable e) throws E {
            throw (E) e;
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                IndexOutOfBoundsException.class,
                StackOverflowError.class,
                AssertionError.class,
                LinkageError.class,
                java.io.IOException.class
            })
    void whateverAMergeThrowsIsTheCallersOwn(Class<? extends Throwable> type) throws Exception {
        Throwable thrown = type.getConstructor().newInstance();
        own.result = sum -> {
            throw Sneaky.<RuntimeException>sneak(thrown);
        };
        Call<Integer> call = call();
        answer();
        PsException e = failure(call);
        assertThat(e.code()).isEqualTo(Code.CALLER_FAILED);
        assertThat(e).hasMessageContaining("threw " + type.getName()).hasCause(thrown);
        assertThat(e.server()).as("an innocent server").isNull();
        assertThat(e.slice()).as("an innocent slice").isNull();
        assertOver();
    }

    @Test
    void whatAMergeThrowsOnPurposeKeepsItsCode() {
        own.result = sum -> {
            throw new PsException(Code.BAD_REQUEST, "candidates: 0 (expected: some)");
        };
        Call<Integer> call = call();
        answer();
        assertThat(failure(call)).hasMessage("BAD_REQUEST: candidates: 0 (expected: some) in acme.own");
    }

    /** A record's own check, say: the answer that it refuses is one server's. */
    @Test
    void whatDecodingAnAnswerThrowsNamesTheServerThatGaveIt() {
        own.decode = part -> {
            if (part == 1) {
                throw new IllegalArgumentException("share: 3 (expected: at most 1)");
            }
        };
        Call<Integer> call = call();
        answer();
        PsException e = failure(call);
        assertThat(e.code()).isEqualTo(Code.CALLER_FAILED);
        assertThat(e.server()).isEqualTo("server 1");
        assertOver();
    }

    @Test
    void aCallThatTouchesNothingFailsAsAnyOther() {
        own.result = sum -> List.<Integer>of().get(0);
        Call<Integer> call =
                client.start(client.onNodes(own, 1, List.of(), CallLimits.of(TimeUnit.SECONDS.toNanos(60))));
        assertThat(failure(call).code()).isEqualTo(Code.CALLER_FAILED);
        assertOver();
    }

    /** What blocks until it is told to go on; interrupts count as told if it heeds them. */
    private static final class Blocking {
        private final boolean heeds;
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final AtomicBoolean interrupted = new AtomicBoolean();

        Blocking(boolean heeds) {
            this.heeds = heeds;
        }

        int block() {
            entered.countDown();
            while (true) {
                try {
                    goOn.await();
                    return 7;
                } catch (InterruptedException e) {
                    interrupted.set(true);
                    if (heeds) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMergeThatBlocksKeepsNobodyFromItsDeadline(boolean heedsInterrupts) throws Exception {
        Blocking blocking = new Blocking(heedsInterrupts);
        own.result = sum -> blocking.block();
        Call<Integer> call = call(SHORT);
        AtomicBoolean interruptedAfter = new AtomicBoolean();
        Thread leader = new Thread(() -> {
            answer();
            interruptedAfter.set(Thread.currentThread().isInterrupted());
        });
        leader.start();
        blocking.entered.await();
        Call<Integer> other = call(SHORT);
        Awaitility.await().forever().until(() -> {
            client.expire();
            return call.isDone() && other.isDone();
        });
        assertThat(failure(call))
                .hasMessageMatching(
                        "TIMED_OUT: the caller's own merge, finish or record constructor: still running after"
                                + " \\d+ ms in acme.own");
        assertThat(failure(other)).hasMessageStartingWith("TIMED_OUT: 2 of 2 answers missing");
        assertOver();
        Awaitility.await().forever().untilTrue(blocking.interrupted);
        blocking.goOn.countDown();
        leader.join();
        assertThat(interruptedAfter).as("an interrupt that was the call's").isFalse();
        assertThat(failure(call).code()).isEqualTo(Code.TIMED_OUT);
    }

    @Test
    void aMergeThatBlocksKeepsNobodyFromClosing() throws Exception {
        Blocking blocking = new Blocking(false);
        own.result = sum -> blocking.block();
        Call<Integer> call = call();
        Thread leader = new Thread(this::answer);
        leader.start();
        blocking.entered.await();
        client.failAll(new PsException(Code.CLOSED, "closed"));
        assertThat(failure(call).code()).isEqualTo(Code.CLOSED);
        blocking.goOn.countDown();
        leader.join();
        assertThat(failure(call).code()).isEqualTo(Code.CLOSED);
    }

    @Test
    void aMergeThatBlocksCanBeGivenUp() throws Exception {
        Blocking blocking = new Blocking(true);
        own.result = sum -> blocking.block();
        Call<Integer> call = call();
        Thread leader = new Thread(this::answer);
        leader.start();
        blocking.entered.await();
        assertThat(call.cancel()).isTrue();
        leader.join();
        assertThat(failure(call).code()).isEqualTo(Code.CANCELLED);
        assertOver();
    }

    /** The thread that looks after deadlines is one for all calls. */
    @Test
    void aCallbackThatBlocksKeepsNobodyFromTheirDeadline() throws Exception {
        Blocking blocking = new Blocking(false);
        Call<Integer> call = call(SHORT);
        var unused = call.toCompletableFuture().whenComplete((answer, failure) -> blocking.block());
        Call<Integer> other = call(SHORT);
        Awaitility.await().forever().until(() -> {
            client.expire();
            return call.isDone() && other.isDone();
        });
        blocking.entered.await();
        blocking.goOn.countDown();
    }

    /** The callback is told before the thread that waits, or after it: it waits for neither. */
    @Test
    void aCallbackThatBlocksKeepsNobodyFromTheAnswer() throws Exception {
        Blocking blocking = new Blocking(false);
        Call<Integer> call = call();
        CompletableFuture<Integer> awaited = new CompletableFuture<>();
        Thread waiter = new Thread(() -> awaited.complete(call.await()));
        waiter.start();
        Awaitility.await()
                .forever()
                .until(() ->
                        waiter.getState() == Thread.State.WAITING || waiter.getState() == Thread.State.TIMED_WAITING);
        var unused = call.toCompletableFuture().whenComplete((answer, failure) -> blocking.block());
        Thread leader = new Thread(this::answer);
        leader.start();
        blocking.entered.await();
        assertThat(awaited.get()).isEqualTo(7);
        assertOver();
        blocking.goOn.countDown();
        leader.join();
    }

    @Test
    void aFutureThatIsCancelledGivesTheCallUp() {
        Call<Integer> call = call();
        CompletableFuture<Integer> other = call.toCompletableFuture();
        CompletableFuture<Integer> future = call.toCompletableFuture();
        assertThat(future.cancel(true)).isTrue();
        assertThat(future).isCancelled();
        assertThat(failure(call).code()).isEqualTo(Code.CANCELLED);
        assertThat(other)
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableOfType(Exception.class)
                .havingCause()
                .isInstanceOf(PsException.class)
                .withMessageStartingWith("CANCELLED");
        assertOver();
        assertThat(future.cancel(true)).isTrue(); // as java.util.concurrent has it
    }

    @Test
    void aFutureThatRunsIntoItsOwnLimitGivesTheCallUp() {
        Call<Integer> call = call();
        CompletableFuture<Integer> future = call.toCompletableFuture().orTimeout(50, TimeUnit.MILLISECONDS);
        assertThat(future).failsWithin(Duration.ofSeconds(60));
        Awaitility.await().forever().until(call::isDone);
        assertThat(failure(call).code()).isEqualTo(Code.CANCELLED);
        assertOver();
    }

    @Test
    void aFutureThatIsCompletedOtherwiseGivesTheCallUp() {
        Call<Integer> call = call();
        CompletableFuture<Integer> future = call.toCompletableFuture().completeOnTimeout(3, 50, TimeUnit.MILLISECONDS);
        assertThat(future).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(3);
        Awaitility.await().forever().until(call::isDone);
        assertThat(failure(call).code()).isEqualTo(Code.CANCELLED);
        assertOver();
    }

    @Test
    void aFutureIsTheAnswerWheneverItIsAskedFor() {
        Call<Integer> call = call();
        CompletableFuture<Integer> before = call.toCompletableFuture();
        answer();
        assertThat(before).isCompletedWithValue(7);
        assertThat(call.toCompletableFuture()).isCompletedWithValue(7);
        assertThat(before.cancel(true)).isFalse();
        assertThat(call.await()).isEqualTo(7);
    }
}
