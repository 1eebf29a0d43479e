package io.psf.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Acceptor;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import io.psf.runtime.transport.Receiver;
import io.psf.runtime.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a caller sends, and sends again, told by frames. */
final class ClientTest {
    private final FramePool pool = new FramePool(1 << 20);
    private final Client client = new Client(pool);
    private final Wire first = new Wire();
    private Peer server;
    private int broken;

    /** Notes what is sent. */
    private static final class Wire implements Channel {
        final List<Frame> sent = new ArrayList<>();
        boolean open = true;
        long silenceLimit;

        @SuppressWarnings("NullAway.Init") // by connect
        Receiver receiver;

        @Override
        public void keepAlive(long limitNanos) {
            silenceLimit = limitNanos;
        }

        @Override
        public void send(Frame frame, long deadline) {
            sent.add(frame);
        }

        @Override
        public void offer(Frame frame) {
            sent.add(frame);
        }

        @Override
        public void setReading(boolean reading) {}

        @Override
        public void trust() {}

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public String peer() {
            return "test";
        }

        @Override
        public void close() {
            open = false;
        }

        /** The numbers in the requests. */
        List<Integer> numbers() {
            return sent.stream()
                    .flatMap(frame -> switch (frame.kind()) {
                        case REQUEST -> List.of(frame).stream();
                        case CHAIN -> frame.requests().stream();
                        default -> List.<Frame>of().stream();
                    })
                    .map(frame -> frame.reader(null).i32())
                    .toList();
        }
    }

    /** A number goes, a number comes. */
    private static final class Numbers extends Function<int[], Integer> {
        private IntConsumer whileWriting = number -> {};

        Numbers() {
            super(FunctionInfo.of("numbers", Place.SERVER, false, "int -> int"));
        }

        @Override
        public void write(int[] request, Routing routing, int part, TupleWriter out) {
            whileWriting.accept(request[0]);
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
                public void add(int part, TupleReader answer) {
                    sum += answer.i32();
                }

                @Override
                public Integer result() {
                    return sum;
                }
            };
        }
    }

    private final Numbers numbers = new Numbers();

    @BeforeEach
    void connect() {
        server = client.connect(to(first), "", 0, "server 0");
        assertThat(server.onDisconnect(peer -> broken++)).isTrue();
    }

    /** It may be sent just as all others are being failed. */
    @Test
    void aCallThatIsSentAfterAllHaveFailedFailsAtOnce() {
        Call<Integer> before = client.send(call(1));
        Call<Integer> late = call(2);
        Call<Integer> held = call(3);
        held.hold();
        client.failAll(new PsException(Code.UNAVAILABLE, "lost the scheduler"));
        client.send(late);
        client.sendTogether(List.of(held));
        for (Call<Integer> each : List.of(before, late, held)) {
            assertThat(each.isDone()).isTrue();
            assertThatThrownBy(each::await).hasMessageContaining("lost the scheduler");
        }
        assertThat(first.numbers()).containsExactly(1);
        assertThat(client.outstanding()).isZero();
    }

    @Test
    void aConnectionThatHasBrokenIsNotKept() {
        Wire wire = new Wire();
        Peer other = client.connect(to(wire), "", 0, "server 1");
        wire.open = false;
        assertThat(other.onDisconnect(peer -> broken++)).isFalse();
        wire.receiver.closed(wire, new PsException(Code.UNAVAILABLE, "broken"));
        assertThat(other.isLost()).isTrue();
        assertThat(broken).isZero();
    }

    private static Transport to(Wire channel) {
        return new Transport() {
            @Override
            public Listener listen(String host, int port, Acceptor acceptor) {
                throw new AssertionError("not reached");
            }

            @Override
            public Channel connect(String host, int port, Acceptor acceptor) {
                channel.receiver = acceptor.accept(channel);
                return channel;
            }

            @Override
            public void close() {}
        };
    }

    private Call<Integer> call(int number) {
        return client.onNodes(
                numbers, new int[] {number}, List.of(server), CallLimits.of(TimeUnit.SECONDS.toNanos(60)));
    }

    private void breakOff(Wire wire) {
        wire.open = false;
        wire.receiver.closed(wire, new PsException(Code.UNAVAILABLE, "broken"));
    }

    private boolean resume(Wire next) {
        return client.resume(server, client.connect(to(next), "", 0, "server 0"));
    }

    /** The order in which they were sent is that of the shards, whenever they were made. */
    @Test
    void callsAreSentAgainInTheOrderInWhichTheyWereSent() {
        Call<Integer> held = call(1);
        held.hold();
        client.send(call(2));
        client.sendTogether(List.of(held, call(3)));
        client.send(call(4));
        assertThat(first.numbers()).containsExactly(2, 1, 3, 4);
        breakOff(first);
        Wire second = new Wire();
        assertThat(resume(second)).isTrue();
        assertThat(second.numbers()).containsExactly(2, 1, 3, 4);
    }

    @Test
    void aCallThatIsGivenUpBeforeItsChainIsSentIsNotKept() {
        Call<Integer> held = call(1);
        held.hold();
        Call<Integer> other = call(2);
        other.hold();
        assertThat(held.cancel()).isTrue();
        client.sendTogether(List.of(held, other));
        assertThat(first.numbers()).containsExactly(2);
        assertThat(client.outstanding()).isEqualTo(1);
    }

    /** The server closes the old channel of a session when it takes the new one: that may be heard late. */
    @Test
    void aChannelThatHasBeenReplacedDoesNotBreakTheConnection() {
        breakOff(first);
        Wire second = new Wire();
        assertThat(resume(second)).isTrue();
        Wire third = new Wire();
        assertThat(resume(third)).isTrue(); // by another thread, say
        breakOff(second);
        assertThat(broken).isEqualTo(1);
        client.send(call(1));
        assertThat(third.numbers()).containsExactly(1);
        breakOff(third);
        assertThat(broken).isEqualTo(2);
    }

    @Test
    void aConnectionThatIsMadeAfterTheServerWasGivenUpIsClosed() {
        breakOff(first);
        client.disconnect(server);
        Wire second = new Wire();
        assertThat(resume(second)).isFalse();
        assertThat(second.open).isFalse();
    }

    private void refuse(Wire wire) {
        wire.receiver.received(wire, Frames.failure(pool, 0, 0, 0, Code.PROTOCOL, "half a frame"));
        if (!wire.open) {
            wire.receiver.closed(wire, new PsException(Code.UNAVAILABLE, "closed"));
        }
    }

    /** What was lost on the way is no reason to give a server up. */
    @Test
    void aServerThatRefusesAConnectionIsConnectedToAgain() {
        Pending<Integer> pending = client.send(call(1));
        refuse(first);
        assertThat(first.open).isFalse();
        assertThat(broken).isEqualTo(1);
        Wire second = new Wire();
        assertThat(resume(second)).isTrue();
        assertThat(second.numbers()).containsExactly(1);
        assertThat(pending.isDone()).isFalse();
    }

    @Test
    void aServerThatRefusesOneConnectionAfterAnotherIsGivenUp() {
        Pending<Integer> pending = client.send(call(1));
        refuse(first);
        Wire second = new Wire();
        assertThat(resume(second)).isTrue();
        refuse(second);
        Wire third = new Wire();
        assertThat(resume(third)).isTrue();
        assertThat(server.isLost()).isFalse();
        refuse(third);
        assertThat(server.isLost()).isTrue();
        assertThat(pending.isDone()).isTrue();
    }

    @Test
    void channelsThatReplaceOneThatIsKeptAliveAreToo() {
        server.keepAlive(7);
        assertThat(first.silenceLimit).isEqualTo(7);
        breakOff(first);
        Wire second = new Wire();
        assertThat(resume(second)).isTrue();
        assertThat(second.silenceLimit).isEqualTo(7);
    }

    /** Who gave it up may have taken the array back, so that what has been written of it may be anything. */
    @Test
    void aCallThatIsGivenUpWhileItIsWrittenAgainIsNotSent() {
        Pending<Integer> plain = client.send(call(1));
        Call<Integer> one = call(2);
        Call<Integer> two = call(3);
        client.sendTogether(List.of(one, two));
        breakOff(first);
        numbers.whileWriting = number -> {
            if (number == 1) {
                plain.cancel();
            } else if (number == 3) {
                one.cancel();
            }
        };
        Wire second = new Wire();
        assertThat(resume(second)).isTrue();
        assertThat(second.numbers()).containsExactly(3);
    }

    /** Its own connection may be in the middle of being made again, with earlier calls still to be sent. */
    @Test
    void whoConnectsToOneServerAgainSendsNothingToAnother() {
        Wire other = new Wire();
        Peer second = client.connect(to(other), "", 0, "server 1");
        second.onDisconnect(peer -> {});
        breakOff(first);
        other.open = false;
        other.receiver.closed(other, new PsException(Code.UNAVAILABLE, "broken"));
        client.send(client.onNodes(
                numbers, new int[] {1}, List.of(server, second), CallLimits.of(TimeUnit.SECONDS.toNanos(60))));
        Wire next = new Wire();
        assertThat(resume(next)).isTrue();
        assertThat(next.numbers()).containsExactly(1);
        assertThat(other.numbers()).isEmpty();
    }
}
