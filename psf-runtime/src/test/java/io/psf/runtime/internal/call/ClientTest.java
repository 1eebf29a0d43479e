package io.psf.runtime.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a caller sends, and sends again, told by frames. */
final class ClientTest {
    private final FramePool pool = new FramePool(1 << 20);
    private final CallClient client = new CallClient(pool);
    private final Numbers numbers = new Numbers("numbers", Place.SERVER, false);
    private final RecordedChannel first = new RecordedChannel();
    private Peer server;
    private int broken;

    /** The numbers in the requests. */
    private static List<Integer> numbers(RecordedChannel channel) {
        return channel.sent().stream()
                .flatMap(frame -> switch (frame.kind()) {
                    case REQUEST -> List.of(frame).stream();
                    case CHAIN -> frame.requests().stream();
                    default -> List.<Frame>of().stream();
                })
                .map(frame -> frame.reader(null).i32())
                .toList();
    }

    @BeforeEach
    void connect() {
        server = client.connect(first.transport(), "", 0, "server 0");
        assertThat(server.onDisconnect(peer -> broken++)).isTrue();
    }

    /** It may be sent just as all others are being failed. */
    @Test
    void aCallThatIsSentAfterAllHaveFailedFailsAtOnce() {
        Call<Integer> before = client.start(call(1));
        Call<Integer> late = call(2);
        Call<Integer> held = call(3);
        held.hold();
        client.failAll(new PsException(Code.UNAVAILABLE, "lost the scheduler"));
        client.start(late);
        client.startTogether(List.of(held));
        for (Call<Integer> each : List.of(before, late, held)) {
            assertThat(each.isDone()).isTrue();
            assertThatThrownBy(each::await).hasMessageContaining("lost the scheduler");
        }
        assertThat(numbers(first)).containsExactly(1);
        assertThat(client.outstanding()).isZero();
    }

    @Test
    void aConnectionThatHasBrokenIsNotKept() {
        RecordedChannel wire = new RecordedChannel();
        Peer other = client.connect(wire.transport(), "", 0, "server 1");
        wire.close();
        assertThat(other.onDisconnect(peer -> broken++)).isFalse();
        wire.breakOff(new PsException(Code.UNAVAILABLE, "broken"));
        assertThat(other.isLost()).isTrue();
        assertThat(broken).isZero();
    }

    private Call<Integer> call(int number) {
        return client.onNodes(numbers, number, List.of(server), CallLimits.of(TimeUnit.SECONDS.toNanos(60)));
    }

    private void breakOff(RecordedChannel wire) {
        wire.breakOff(new PsException(Code.UNAVAILABLE, "broken"));
    }

    private boolean resume(RecordedChannel next) {
        return client.resume(server, client.connect(next.transport(), "", 0, "server 0"), 0);
    }

    private RecordedChannel resumed() {
        RecordedChannel next = new RecordedChannel();
        assertThat(resume(next)).isTrue();
        return next;
    }

    /** The order in which they were sent is that of the shards, whenever they were made. */
    @Test
    void callsAreSentAgainInTheOrderInWhichTheyWereSent() {
        Call<Integer> held = call(1);
        held.hold();
        client.start(call(2));
        client.startTogether(List.of(held, call(3)));
        client.start(call(4));
        assertThat(numbers(first)).containsExactly(2, 1, 3, 4);
        breakOff(first);
        RecordedChannel second = resumed();
        assertThat(numbers(second)).containsExactly(2, 1, 3, 4);
    }

    private List<Frame> reports() {
        return first.sent().stream()
                .filter(frame -> frame.kind() == Frame.Kind.DONE)
                .toList();
    }

    private static long[] listed(Frame report) {
        return report.reader(null).longs();
    }

    /** A call to another peer that is never pointed at this one, such as a heartbeat, holds nothing back. */
    @Test
    void callsThatAreDoneAreReportedWithTheNextRequest() {
        Peer scheduler = client.connect(new RecordedChannel().transport(), "", 0, "scheduler");
        client.start(client.onNodes(numbers, 0, List.of(scheduler), CallLimits.of(TimeUnit.SECONDS.toNanos(60))));
        for (int i = 1; i <= 32; i++) {
            client.start(call(i));
            first.answer(numbers.info(), first.lastRequest(), i);
            assertThat(reports()).isEmpty();
        }
        client.start(call(33));
        assertThat(reports()).hasSize(1);
        assertThat(reports().get(0).call())
                .as("below")
                .isEqualTo(first.lastRequest().call());
        assertThat(listed(reports().get(0))).isEmpty();
    }

    @Test
    void callsAboveOneThatIsNotDoneAreListedAndManyAreReportedAtOnce() {
        client.start(call(0));
        long open = first.lastRequest().call();
        Call<?>[] calls = new Call<?>[128];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = client.start(call(i));
        }
        List<Frame> requests = first.sent();
        for (int i = 1; i <= calls.length; i++) {
            assertThat(reports()).isEmpty();
            first.answer(numbers.info(), requests.get(i), i);
        }
        assertThat(reports()).hasSize(1);
        assertThat(reports().get(0).call()).as("below").isLessThanOrEqualTo(open);
        assertThat(listed(reports().get(0))).hasSize(128).startsWith(open + 1);
    }

    /** The server may not remember it, for example since it is read-only. */
    @Test
    void aCallThatIsGivenUpIsReportedAtOnceByItsNumber() {
        Call<Integer> call = client.start(call(1));
        assertThat(call.cancel()).isTrue();
        assertThat(listed(reports().get(0))).containsExactly(first.lastRequest().call());
    }

    @Test
    void aCallThatIsGivenUpBeforeItsChainIsSentIsNotKept() {
        Call<Integer> held = call(1);
        held.hold();
        Call<Integer> other = call(2);
        other.hold();
        assertThat(held.cancel()).isTrue();
        client.startTogether(List.of(held, other));
        assertThat(numbers(first)).containsExactly(2);
        assertThat(client.outstanding()).isEqualTo(1);
    }

    /** The server closes the old channel of a session when it takes the new one: that may be heard late. */
    @Test
    void aChannelThatHasBeenReplacedDoesNotBreakTheConnection() {
        breakOff(first);
        RecordedChannel second = resumed();
        RecordedChannel third = resumed(); // by another thread, say
        breakOff(second);
        assertThat(broken).isEqualTo(1);
        client.start(call(1));
        assertThat(numbers(third)).containsExactly(1);
        breakOff(third);
        assertThat(broken).isEqualTo(2);
    }

    @Test
    void aConnectionThatIsMadeAfterTheServerWasGivenUpIsClosed() {
        breakOff(first);
        client.disconnect(server);
        RecordedChannel second = new RecordedChannel();
        assertThat(resume(second)).isFalse();
        assertThat(second.isOpen()).isFalse();
    }

    private void refuse(RecordedChannel wire) {
        wire.receive(Frames.failure(pool, 0, 0, 0, Code.PROTOCOL, "half a frame"));
        if (!wire.isOpen()) {
            wire.breakOff(new PsException(Code.UNAVAILABLE, "closed"));
        }
    }

    /** What was lost on the way is no reason to give a server up. */
    @Test
    void aServerThatRefusesAConnectionIsConnectedToAgain() {
        Pending<Integer> pending = client.start(call(1));
        refuse(first);
        assertThat(first.isOpen()).isFalse();
        assertThat(broken).isEqualTo(1);
        RecordedChannel second = resumed();
        assertThat(numbers(second)).containsExactly(1);
        assertThat(pending.isDone()).isFalse();
    }

    @Test
    void aServerThatRefusesOneConnectionAfterAnotherIsGivenUp() {
        Pending<Integer> pending = client.start(call(1));
        refuse(first);
        RecordedChannel second = resumed();
        refuse(second);
        RecordedChannel third = resumed();
        assertThat(server.isLost()).isFalse();
        refuse(third);
        assertThat(server.isLost()).isTrue();
        assertThat(pending.isDone()).isTrue();
    }

    @Test
    void channelsThatReplaceOneThatIsKeptAliveAreToo() {
        server.keepAlive(7);
        assertThat(first.silenceLimit()).isEqualTo(7);
        breakOff(first);
        RecordedChannel second = resumed();
        assertThat(second.silenceLimit()).isEqualTo(7);
    }

    /** Who gave it up may have taken the array back, so that what has been written of it may be anything. */
    @Test
    void aCallThatIsGivenUpWhileItIsWrittenAgainIsNotSent() {
        Pending<Integer> plain = client.start(call(1));
        Call<Integer> one = call(2);
        Call<Integer> two = call(3);
        client.startTogether(List.of(one, two));
        breakOff(first);
        numbers.whileWriting = number -> {
            if (number == 1) {
                plain.cancel();
            } else if (number == 3) {
                one.cancel();
            }
        };
        RecordedChannel second = resumed();
        assertThat(numbers(second)).containsExactly(3);
    }

    /** Its own connection may be in the middle of being made again, with earlier calls still to be sent. */
    @Test
    void whoConnectsToOneServerAgainSendsNothingToAnother() {
        RecordedChannel other = new RecordedChannel();
        Peer second = client.connect(other.transport(), "", 0, "server 1");
        second.onDisconnect(peer -> {});
        breakOff(first);
        other.breakOff(new PsException(Code.UNAVAILABLE, "broken"));
        client.start(client.onNodes(numbers, 1, List.of(server, second), CallLimits.of(TimeUnit.SECONDS.toNanos(60))));
        RecordedChannel next = resumed();
        assertThat(numbers(next)).containsExactly(1);
        assertThat(numbers(other)).isEmpty();
    }
}
