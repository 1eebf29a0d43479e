package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.spi.FunctionInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The schema of each control function is committed, and is what peers compare. The compiler refuses a change that peers
 * of a committed version could not read; this test fails if it no longer compares.
 */
final class ControlSchemasTest {
    private static final List<FunctionInfo> CONTROL = Stream.of(
                    ChallengePsf.FUNCTION,
                    HelloPsf.FUNCTION,
                    PingPsf.FUNCTION,
                    JoinPsf.FUNCTION,
                    VisitPsf.FUNCTION,
                    BeatPsf.FUNCTION,
                    LeavePsf.FUNCTION,
                    ReportCallsPsf.FUNCTION,
                    BarrierPsf.FUNCTION,
                    EndPsf.FUNCTION,
                    RestoreFromPsf.FUNCTION,
                    EndSessionPsf.FUNCTION,
                    DeclarePsf.FUNCTION,
                    ForgetPsf.FUNCTION,
                    GetChangesPsf.FUNCTION,
                    JournalEntryPsf.FUNCTION)
            .map(function -> function.info())
            .toList();

    @Test
    void theCommittedSchemasAreThoseOfTheControlFunctions() throws IOException {
        Map<String, List<String>> committed = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of("src/main/schemas"))) {
            for (Path file : files.toList()) {
                List<String> lines = Files.readAllLines(file);
                assertThat(lines.get(0)).startsWith("# ../java/io/psf/runtime/internal/cluster/");
                String name = file.getFileName().toString().replace(".schema", "");
                committed.put(name, lines.subList(1, lines.size()));
            }
        }
        assertThat(committed)
                .isEqualTo(CONTROL.stream().collect(Collectors.toMap(FunctionInfo::name, FunctionInfo::schemas)));
    }
}
