package io.psf.runtime.internal.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.simulation.Interleavings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AnswersInterleavingsTest {
    /** A call arrives three times, over connections that break, while its caller reports that it has the answer. */
    @Test
    void aCallThatArrivesSeveralTimesRunsOnceAndNoFrameIsLeft() {
        Interleavings.check(threads -> {
            FramePool pool = new FramePool(0, 1 << 20);
            Answers answers = new Answers(1 << 16, new Admission("test", pool, () -> false, () -> false, () -> {}));
            int[] runs = new int[1];
            for (int attempt = 0; attempt < 3; attempt++) {
                CallRecord call = new CallRecord(7, 0, attempt);
                threads.start(() -> arrive(answers, pool, call, runs));
            }
            threads.start(() -> answers.done(7));
            threads.await();
            answers.clear();
            assertThat(runs[0]).isLessThanOrEqualTo(1);
            assertThat(answers.size()).isZero();
            assertThat(pool.usedBytes()).isZero();
        });
    }

    private static void arrive(Answers answers, FramePool pool, CallRecord call, int[] runs) {
        try {
            CallRecord known = answers.begin(call);
            if (known == null) {
                runs[0]++;
                Frame answer = Frames.done(pool, call.number(), new long[0]);
                answers.answered(call, answer);
                answer.release();
            } else {
                Frame kept = answers.answer(known);
                if (kept != null) {
                    kept.release();
                }
            }
        } catch (PsException e) { // its caller has the answer
            assertThat(e.code()).isIn(PsException.Code.CANCELLED, PsException.Code.UNAVAILABLE);
        }
    }
}
