package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LineTest {
    @Test
    void progressIsReadAsItWasWritten() {
        Progress progress = new Progress(1, 2, 20, 142, 0.25, 20_736, 51_234);
        assertThat(progress.line())
                .isEqualTo("PROGRESS rank=1 epoch=2 step=20 of=142 loss=0.250000 examples=20736 rate=51234");
        assertThat(Progress.parse(progress.line())).contains(progress);
        assertThat(progress.steps()).isEqualTo(162);
    }

    @Test
    void aResultIsReadAsItWasWritten() {
        Result result = new Result(0.9321, 0.2, 51_234, 5_000_000_000L, 12);
        assertThat(Result.parse(result.line())).contains(result);
    }

    @Test
    void otherLinesAreNeither() {
        for (String line :
                new String[] {"", "PROGRESS", "RESULTS auc=1", "RESULT of it", "12:00:00.000 INFO  RESULT auc=1"}) {
            assertThat(Progress.parse(line)).isEmpty();
            assertThat(Result.parse(line)).isEmpty();
        }
    }
}
