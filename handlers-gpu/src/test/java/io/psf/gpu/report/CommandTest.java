package io.psf.gpu.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandTest {
    @Test
    void theOutputOfAProgramIsReturned() {
        assertThat(Command.output("sh", "-c", "echo driver 535; echo clocks >&2"))
                .isEqualTo("driver 535\nclocks");
        assertThat(Command.output("sh", "-c", "echo no device; exit 6")).isEqualTo("exit code 6: no device");
    }

    @Test
    void aProgramThatIsNotThereIsASentence() {
        assertThat(Command.output("nvidia-smi-of-no-machine")).startsWith("not run: ");
    }
}
