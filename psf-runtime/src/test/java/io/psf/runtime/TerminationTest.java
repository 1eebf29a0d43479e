package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import org.junit.jupiter.api.Test;

class TerminationTest {
    @Test
    void aSchedulerThatHasNotAnsweredInTimeIsNotAvailable() {
        assertThat(Termination.of(new PsException(Code.TIMED_OUT, "1 of 1 answers missing")))
                .hasMessage("UNAVAILABLE: lost the scheduler: 1 of 1 answers missing");
        assertThat(Termination.of(new PsException(Code.UNAVAILABLE, "not connected again")))
                .hasMessage("UNAVAILABLE: lost the scheduler: not connected again");
    }

    @Test
    void aSchedulerThatHasAnsweredIsWell() {
        assertThat(Termination.of(new PsException(Code.CLOSED, "this node: counted as lost")))
                .hasMessage("UNAVAILABLE: this node: counted as lost");
    }
}
