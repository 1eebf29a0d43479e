package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ParentProcessTest {
    @Test
    void aProcessThatHasEndedIsNamed() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        ParentProcess parent = ParentProcess.of(Map.of("PSF_PARENT", ended.pid() + ""));
        PsException e = catchThrowableOfType(PsException.class, parent::requireRunning);
        assertThat(e.code()).isEqualTo(PsException.Code.UNAVAILABLE);
        assertThat(e).hasMessageContaining("process " + ended.pid() + ", which started this node, has ended");
    }

    @Test
    void aProcessThatRunsOrIsNotNamedIsFine() {
        ParentProcess.of(Map.of("PSF_PARENT", " " + ProcessHandle.current().pid()))
                .requireRunning();
        ParentProcess.of(Map.of()).requireRunning();
    }
}
