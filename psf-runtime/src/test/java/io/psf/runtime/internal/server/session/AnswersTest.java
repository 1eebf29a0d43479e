package io.psf.runtime.internal.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The records of the calls of a session. */
@Timeout(60)
final class AnswersTest {
    private final FramePool pool = new FramePool(1 << 20, 1 << 30);
    private final Answers answers =
            new Answers(64 << 20, new Admission("test", pool, () -> false, () -> false, () -> {}));

    /** One call may have as many slices as a peer likes, in any order. */
    @Test
    void aSliceIsFoundAtOnceAmongManyOfOneCall() {
        int n = 200_000;
        List<CallRecord> records = new ArrayList<>();
        for (int slice = n; slice > 0; slice--) {
            CallRecord record = new CallRecord(7, slice, 0);
            assertThat(answers.begin(record)).isNull();
            records.add(record);
        }
        for (int slice = 1; slice <= n; slice++) {
            assertThat(answers.begin(new CallRecord(7, slice, 1))).isSameAs(records.get(n - slice));
            assertThat(answers.find(7, slice)).isSameAs(records.get(n - slice));
        }
        PsException stale = new PsException(Code.STALE_LAYOUT, "not here");
        Frame request = Frames.done(pool, 7, new long[0]);
        Frame refusal = Frames.refusal(pool, request, stale);
        records.forEach(record -> answers.answered(record, refusal));
        assertThat(answers.size()).isZero();
        assertThat(answers.find(7, 1)).isNull();
    }

    @Test
    void aRefusedSliceMayComeAgainBesideTheOthersOfItsCall() {
        CallRecord[] records = {new CallRecord(7, 0, 0), new CallRecord(7, 1, 0), new CallRecord(7, 2, 0)};
        for (CallRecord record : records) {
            answers.begin(record);
        }
        Frame request = Frames.done(pool, 7, new long[0]);
        answers.answered(records[0], Frames.refusal(pool, request, new PsException(Code.STALE_LAYOUT, "not here")));
        assertThat(answers.find(7, 0)).isNull();
        assertThat(answers.find(7, 1)).isSameAs(records[1]);
        assertThat(answers.find(7, 2)).isSameAs(records[2]);
        CallRecord again = new CallRecord(7, 0, 1);
        assertThat(answers.begin(again)).isNull();
        assertThat(answers.find(7, 0)).isSameAs(again);
        assertThat(answers.size()).isEqualTo(3);
        assertThat(answers.done(7)).as("answered").isFalse();
        assertThat(answers.size()).isZero();
    }

    @Test
    void theNumbersOfFinishedCallsCountAgainstTheMemoryOfTheNode() {
        long before = pool.usedBytes();
        for (long i = 1; i <= 1000; i++) {
            answers.done(1000 * i);
        }
        assertThat(pool.usedBytes()).isEqualTo(before + 1000 * Finished.WORD);
        answers.doneBelow(500_100);
        assertThat(pool.usedBytes()).isEqualTo(before + 500 * Finished.WORD);
        answers.clear();
        assertThat(pool.usedBytes()).isEqualTo(before);
    }

    @Test
    void aSessionHasFewerNumbersOfFinishedCallsAmongMany() {
        Admission admission = new Admission("test", new FramePool(0, 64 << 20), () -> false, () -> false, () -> {});
        admission.setConnections(1000);
        Answers ofOne = new Answers(64 << 20, admission);
        for (long i = 1; i <= 1000; i++) {
            ofOne.done(1000 * i);
        }
        assertThat(ofOne.hasAllOf(999_999)).isTrue();
        assertThat(ofOne.hasAllOf(500_001)).as("behind the window").isFalse();
    }
}
