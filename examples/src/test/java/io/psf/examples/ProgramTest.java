package io.psf.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Option;

class ProgramTest {
    @SuppressWarnings("UnusedVariable") // compared by reflection
    private static final class Options {
        @Option(names = "--count", converter = Count.class)
        int count = 2;

        @Option(names = "--pause", converter = Count.OrZero.class)
        int pause;

        @Option(names = "--mode")
        Mode mode = Mode.SYNC;

        @Option(names = {"-f", "--folder"})
        @Nullable
        Path folder;

        @Option(names = "--quick")
        boolean quick;
    }

    private static Options parsed(String... arguments) {
        Options options = new Options();
        new CommandLine(options).parseArgs(arguments);
        return options;
    }

    @Test
    void theArgumentsOfOptionsGiveTheSameOptions() {
        assertThat(Program.arguments(new Options())).containsExactlyInAnyOrder("--count=2", "--pause=0", "--mode=sync");
        Options given = parsed("--count", "7", "--mode", "async", "-f", "a b", "--quick");
        assertThat(parsed(Program.arguments(given))).usingRecursiveComparison().isEqualTo(given);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "1.5", "99999999999", ""})
    void aCountThatIsNoneIsRefused(String value) {
        assertThatThrownBy(() -> parsed("--count=" + value))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining("'--count'")
                .hasMessageEndingWith(": " + value + " (expected: a whole number of at least 1)");
        assertThat(parsed("--count=1", "--pause=0").count).isEqualTo(1);
        assertThatThrownBy(() -> parsed("--pause=-1"))
                .hasMessageEndingWith(": -1 (expected: a whole number of at least 0)");
    }

    @Test
    void aMeanIsOfTheLossesSinceTheLastOne() {
        MeanLoss loss = new MeanLoss();
        loss.add(1);
        loss.add(2);
        assertThat(loss.take()).isEqualTo(1.5);
        loss.add(4);
        assertThat(loss.take()).isEqualTo(4);
        assertThat(loss.take()).isNaN();
    }
}
