package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PeerWatchTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final PeerWatch known = new PeerWatch(ConnectionLimits.usual(), false, 0);
    private final PeerWatch stranger = new PeerWatch(ConnectionLimits.usual(), true, 0);

    @Test
    void theUsualLimits() {
        assertThat(ConnectionLimits.usual())
                .isEqualTo(new ConnectionLimits(Duration.ofSeconds(30), Duration.ofSeconds(10), 1000, 64 << 10));
        assertThat(ConnectionLimits.STRANGER_FRAME).isEqualTo(16 << 10);
        assertThat(ConnectionLimits.STRANGER_REQUESTS).isEqualTo(16);
        assertThat(PeerWatch.interval(ConnectionLimits.usual())).isEqualTo(10 * SECOND / 8);
    }

    @Test
    void aKnownPeerMayBeSilentForEverUnlessItIsKeptAlive() {
        known.note(1000 * SECOND, 0, 0, true, true);
        assertThat(known.overdue(0, 48)).isNull();
        assertThat(known.isSignDue()).isFalse();
        known.keepAlive(10 * SECOND);
        assertThat(known.isSignDue()).isTrue();
        assertThat(known.overdue(0, 48))
                .isNotNull()
                .extracting(PsException::code)
                .isEqualTo(Code.UNAVAILABLE);
    }

    @Test
    void whatComesIsASignOfLife() {
        known.keepAlive(10 * SECOND);
        known.note(9 * SECOND, 1, 0, true, true);
        known.note(18 * SECOND, 1, 0, true, true);
        assertThat(known.overdue(0, 48)).isNull();
        known.note(19 * SECOND, 1, 0, true, true);
        assertThat(known.overdue(0, 48)).isNotNull();
    }

    @Test
    void anEndThatDoesNotReadJudgesByWhatIsTaken() {
        known.keepAlive(10 * SECOND);
        known.note(9 * SECOND, 0, 1, false, false);
        known.note(18 * SECOND, 0, 1, false, false);
        assertThat(known.overdue(0, 48)).isNull();
        known.note(19 * SECOND, 0, 1, false, false);
        assertThat(known.overdue(0, 48)).isNotNull();
        known.note(20 * SECOND, 0, 1, false, true);
        assertThat(known.overdue(0, 48)).as("nothing waits to be taken").isNull();
        known.note(29 * SECOND, 0, 1, true, true);
        assertThat(known.overdue(0, 48)).as("it has read for a moment only").isNull();
    }

    @Test
    void signsAreDueFourTimesWithinTheLimit() {
        known.keepAlive(8 * SECOND);
        int signs = 0;
        for (long now = 0; now < 8 * SECOND; now += SECOND) {
            known.note(now, now, 0, true, true);
            signs += known.isSignDue() ? 1 : 0;
        }
        assertThat(signs).isBetween(3, 4);
    }

    @Test
    void halfAFrameIsOverdueForKnownPeersToo() {
        known.note(29 * SECOND, 0, 0, true, true);
        assertThat(known.overdue(20, 48)).isNull();
        known.note(30 * SECOND, 0, 0, true, true);
        assertThat(known.overdue(0, 48)).isNull();
        assertThat(known.overdue(20, 48)).hasMessageContaining("half a frame: 20 of 48 bytes");
    }

    /**
     * Notes 48 bytes a second, as signs of life are: they are taken for the rest of a frame whose length is damaged.
     */
    @Test
    void aFrameThatOnlySignsOfLifeFillIsGivenUp() {
        known.keepAlive(10 * SECOND);
        for (int second = 1; second <= 10; second++) {
            known.note(second * SECOND, 48L * second, 0, true, true);
            assertThat(known.overdue(48 * second, 100_000)).isNull();
        }
        known.note(11 * SECOND, 48 * 11, 0, true, true);
        assertThat(known.overdue(48 * 11, 100_000))
                .hasMessageContaining("UNAVAILABLE: half a frame: 528 of 100000 bytes (expected: the rest, or 1024")
                .hasMessageContaining("bytes within 10000 ms)");
    }

    @Test
    void aLongFrameThatGrowsIsNotGivenUpNorOneThatIsNotRead() {
        known.keepAlive(10 * SECOND);
        for (int second = 1; second <= 100; second++) {
            known.note(second * SECOND, 200L * second, 0, true, true);
            assertThat(known.overdue(200 * second, 100_000)).isNull();
        }
        for (int second = 101; second <= 200; second++) { // reading stops and begins again
            known.note(second * SECOND, 20_000 + second % 2, second, second % 5 != 0, true);
            assertThat(known.overdue(20_000, 100_000)).isNull();
        }
    }

    @Test
    void frameAfterFrameThatIsHalfThereIsNotGivenUp() {
        known.keepAlive(10 * SECOND);
        for (int second = 1; second <= 100; second++) {
            known.note(second * SECOND, 1000L * second, 0, true, true);
            assertThat(known.overdue(20, 48)).isNull();
        }
    }

    @Test
    void aStrangerHasToSayWhoItIs() {
        stranger.note(10 * SECOND, 999, 0, true, true);
        assertThat(stranger.overdue(0, 48)).hasMessageContaining("hello: none");
        stranger.asked();
        assertThat(stranger.overdue(0, 48)).as("it is being answered").isNull();
        assertThat(stranger.isIdleStranger()).isFalse();
        assertThat(stranger.answered(0)).isNull();
        assertThat(stranger.overdue(0, 48)).isNotNull();
        stranger.trust();
        assertThat(stranger.overdue(0, 48)).isNull();
    }
}
