package io.psf.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandTest {
    @Test
    void theScriptRunsTheCommandWithTheseClasses() throws Exception {
        String command = new CommandLine(new SparkDemoProvider().command()).getCommandName();
        assertThat(Files.readString(Path.of("../../psf"))).contains("\n  " + command + ") module=examples/spark ");
    }

    /** Else the script would build again what the command of the page has built. */
    @Test
    void theCommandOfThePageBuildsTheDemo() throws Exception {
        assertThat(Files.readString(Path.of("../../docs/spark.md")))
                .contains("\nmvn -Pspark install -DskipTests -pl examples/spark -am\n./psf spark-demo ");
    }
}
