package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DeterminismTest {
    private static final long FROM = 20;
    private static final long TO = 40;

    @BeforeEach
    void requireSimulation() {
        Simulated.require();
    }

    /** Prints the hashes of the seeds from the last one to the first one: what ran before must not matter. */
    public static void main(String[] arguments) {
        LongStream.range(FROM, TO).map(each -> TO - 1 + FROM - each).forEach(each -> System.out.println(line(each)));
    }

    private static String line(long seed) {
        return seed + " " + Simulation.run(Plan.of(seed)).hash();
    }

    @Test
    void aSeedHasOneHashInEveryProcess() throws Exception {
        List<Process> others = List.of(start(), start());
        List<String> here =
                LongStream.range(FROM, TO).mapToObj(DeterminismTest::line).toList();
        for (Process each : others) {
            String said = new String(each.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(each.waitFor()).as(said).isZero();
            assertThat(said.strip().lines()).containsExactlyInAnyOrderElementsOf(here);
        }
        assertThat(here.stream().map(each -> each.replaceFirst("^\\d+ ", ""))).doesNotHaveDuplicates();
    }

    private static Process start() throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DeterminismTest.class.getName()));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.to(new File("target", "determinism.err")))
                .start();
    }

    @Test
    void aTraceChangesNothing() {
        Plan plan = Plan.of(FROM);
        Outcome traced = Simulation.run(plan.withTrace());
        assertThat(traced.hash()).isEqualTo(Simulation.run(plan).hash());
        assertThat(traced.sentences()).anyMatch(each -> each.contains("the cluster is complete"));
    }
}
