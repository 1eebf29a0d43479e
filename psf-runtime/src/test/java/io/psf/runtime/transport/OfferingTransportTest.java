package io.psf.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A sender that never waits, told to a peer that takes nothing. */
final class OfferingTransportTest {
    private static final int BOUND = 1000;

    private final FramePool pool = new FramePool(1 << 20);
    private final Slow slow = new Slow();
    private final List<Channel> told = new ArrayList<>();

    private final Receiver receiver = new Receiver() {
        @Override
        public void received(Channel channel, Frame frame) {
            told.add(channel);
            frame.release();
        }

        @Override
        public boolean admits(Channel channel, int length) {
            told.add(channel);
            return false;
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            told.add(channel);
        }
    };

    private final Channel channel = new OfferingTransport(slow, BOUND).connect("", 1, each -> receiver);

    /** A transport to a peer that takes frames when the test says so; its channels send frames alone. */
    private static final class Slow implements Transport, Channel {
        private final List<Frame> offered = new ArrayList<>();

        @SuppressWarnings("NullAway.Init") // by connect
        private Receiver near;

        private boolean open = true;

        @Override
        public Listener listen(String host, int port, Acceptor acceptor) {
            throw new AssertionError("not reached");
        }

        @Override
        public Channel connect(String host, int port, Acceptor acceptor) {
            near = acceptor.accept(this);
            return this;
        }

        void take() {
            offered.forEach(frame -> near.sent(this, frame.length()));
            offered.clear();
        }

        @Override
        public void send(Frame frame, long deadline) {
            throw new AssertionError("send: might wait (expected: offer)");
        }

        @Override
        public void offer(Frame frame) {
            offered.add(frame);
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
            return "slow";
        }

        @Override
        public void close() {
            open = false;
        }
    }

    private void send() {
        channel.send(Frames.done(pool, 0, new long[40]), System.nanoTime());
    }

    private static void requireFailure(Runnable work, Code code, String text) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(text);
    }

    @Test
    void whatThePeerDoesNotTakeIsKeptUpToABoundAndThenRefused() {
        while (slow.offered.stream().mapToInt(Frame::length).sum() <= BOUND) {
            send();
        }
        int kept = slow.offered.size();
        assertThat(kept).isGreaterThan(1);
        requireFailure(this::send, Code.RESOURCE_EXHAUSTED, "requests that slow has not taken: ");
        assertThat(slow.offered).hasSize(kept);
        slow.take();
        send();
        assertThat(slow.offered).hasSize(1);
    }

    @Test
    void whatComesIsToldOfTheChannelThatWasGiven() {
        slow.near.received(slow, Frames.done(pool, 0, new long[1]));
        assertThat(slow.near.admits(slow, 100)).isFalse();
        slow.near.closed(slow, new PsException(Code.UNAVAILABLE, "closed"));
        assertThat(told).containsExactly(channel, channel, channel);
    }

    @Test
    void nothingIsKeptForAChannelThatIsClosed() {
        channel.close();
        requireFailure(this::send, Code.UNAVAILABLE, "connection to slow: closed");
        assertThat(slow.offered).isEmpty();
    }
}
