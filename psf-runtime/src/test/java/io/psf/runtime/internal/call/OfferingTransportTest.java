package io.psf.runtime.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A sender that never waits, told to a peer that takes nothing. */
final class OfferingTransportTest {
    private static final int BOUND = 1000;

    private final FramePool pool = new FramePool(1 << 20);
    /** To a peer that takes frames when the test says so. */
    private final RecordedChannel slow = new RecordedChannel() {
        @Override
        public void send(Frame frame, long deadline) {
            throw new AssertionError("send: might wait (expected: offer)");
        }
    };

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

    private final Channel channel = new OfferingTransport(slow.transport(), BOUND).connect("", 1, each -> receiver);

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
        while (slow.sent().stream().mapToInt(Frame::length).sum() <= BOUND) {
            send();
        }
        int kept = slow.sent().size();
        assertThat(kept).isGreaterThan(1);
        requireFailure(this::send, Code.RESOURCE_EXHAUSTED, "requests that test has not taken: ");
        assertThat(slow.sent()).hasSize(kept);
        slow.takeAll();
        send();
        assertThat(slow.sent()).hasSize(1);
    }

    @Test
    void whatComesIsToldOfTheChannelThatWasGiven() {
        slow.receive(Frames.done(pool, 0, new long[1]));
        assertThat(slow.admits(100)).isFalse();
        slow.breakOff(new PsException(Code.UNAVAILABLE, "closed"));
        assertThat(told).containsExactly(channel, channel, channel);
    }

    @Test
    void nothingIsKeptForAChannelThatIsClosed() {
        channel.close();
        requireFailure(this::send, Code.UNAVAILABLE, "connection to test: closed");
        assertThat(slow.sent()).isEmpty();
    }
}
