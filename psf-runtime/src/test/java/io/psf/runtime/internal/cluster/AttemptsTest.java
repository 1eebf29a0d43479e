package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class AttemptsTest {
    private static final long MILLI = Duration.ofMillis(1).toNanos();

    @Test
    void pausesDoubleUpToHalfASecondMinusARandomPart() {
        Attempts attempts = new Attempts(MILLI);
        assertThat(attempts.next()).isZero();
        for (long longest : new long[] {20, 40, 80, 160, 320, 500, 500}) {
            assertThat(attempts.next()).isBetween(longest * MILLI / 2, longest * MILLI);
        }
    }

    @Test
    void theNextAttemptFollowsAtOnceOnlyAfterProgress() {
        Attempts attempts = new Attempts(MILLI);
        attempts.next();
        attempts.next();
        attempts.next();
        attempts.restart();
        assertThat(attempts.next()).isBetween(10 * MILLI, 20 * MILLI);
        attempts.progress();
        assertThat(attempts.next()).isZero();
    }

    /** A call that has ended may wake the thread that waited for it once more. */
    @Test
    void aPauseLastsThoughTheThreadIsWoken() {
        long began = System.nanoTime();
        LockSupport.unpark(Thread.currentThread());
        Session.pause(20 * MILLI);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(20 * MILLI);
    }

    @Test
    void theTimeBeginsAnew() {
        Attempts attempts = new Attempts(200 * MILLI);
        long until = System.nanoTime() + 200 * MILLI;
        while (System.nanoTime() - until <= 0) {
            Thread.onSpinWait();
        }
        assertThat(attempts.areOver()).isTrue();
        attempts.restart();
        assertThat(attempts.areOver()).isFalse();
    }

    @Test
    void aFailureHasTheNumberOfAttemptsAndTheTime() {
        Attempts attempts = new Attempts(7000 * MILLI);
        attempts.next();
        PsException one = attempts.failure("server 1 (h:2)", "not connected", new PsException(Code.TIMED_OUT, "late"));
        assertThat(one.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(one.detail())
                .matches(
                        "server 1 \\(h:2\\): not connected: 1 attempt in \\d+ ms \\(limit: 7000 ms\\), the last one: late");
        attempts.next();
        PsException named = new PsException(Code.UNAVAILABLE, "server 1 (h:2): closed");
        assertThat(attempts.failure("server 1 (h:2)", "not connected", named).detail())
                .contains(": 2 attempts in ")
                .endsWith("the last one: closed");
    }
}
