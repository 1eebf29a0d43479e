package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandTest {
    @Test
    void theScriptRunsTheCommandWithTheseClasses() throws Exception {
        String command = new CommandLine(new BenchProvider().command()).getCommandName();
        assertThat(Files.readString(Path.of("../../psf"))).contains("\n  " + command + ") module=tests/benchmarks ");
    }
}
