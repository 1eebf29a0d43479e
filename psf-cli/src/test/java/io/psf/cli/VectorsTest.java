package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.PsException;
import java.lang.module.ModuleFinder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether psf starts servers with the module of the vectors. {@code ScriptTest} has the same of the script. */
class VectorsTest {
    private static final String FLAG = "--add-modules=jdk.incubator.vector";

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Test
    void serversHaveVectorsByDefaultWhereVectorsAccessMemoryOffTheHeap() {
        assumeTrue(hasModule(), "a JDK without vectors");
        assertThat(flags(null, 17)).containsExactly(FLAG);
        assertThat(flags(null, 18)).isEmpty();
        assertThat(flags(null, 21)).isEmpty();
        assertThat(flags(null, 22)).containsExactly(FLAG);
        assertThat(flags("", 25)).containsExactly(FLAG);
    }

    @Test
    void theVariableEnablesAndDisablesThem() {
        assumeTrue(hasModule(), "a JDK without vectors");
        assertThat(flags("off", 25)).isEmpty();
        assertThat(flags("on", 21)).containsExactly(FLAG);
        assertThatThrownBy(() -> flags("no", 25))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("PSF_VECTORS: no (expected: on or off)");
    }

    /** A JVM does not start with a module that it does not have. */
    @Test
    void aJdkWithoutTheModuleHasNoFlag() {
        assertThat(NodeJvm.serverFlags("on", 25, ModuleFinder.of())).isEmpty();
        assertThat(NodeJvm.serverFlags(null, 25, ModuleFinder.of())).isEmpty();
    }

    @Tag("long")
    @Test
    void aServerOfAJobStepsWithVectorsAndTheJvmsWarningIsNotALine() {
        int release = Runtime.version().feature();
        assumeTrue(hasModule() && (release < 18 || release > 21), "a JDK without vectors off the heap");
        run("on", "optimizer Adam steps with vectors of ");
    }

    @Tag("long")
    @Test
    void aServerOfAJobStepsWithoutThemIfTheVariableSaysSo() {
        run("off", "optimizers step through tiles: PSF_VECTORS=off");
        assertThat(lines).noneMatch(line -> line.contains("with vectors"));
    }

    private void run(String vectors, String text) {
        try (LocalJob job = LocalJob.builder()
                .workerMain(Child.class, "push")
                .nodeFlags(List.of("-XX:TieredStopAtLevel=4")) // other tests do without the JIT that compiles vectors
                .environment(Map.of("PSF_VECTORS", vectors))
                .onLine((node, line) -> lines.add("[" + node + "] " + line))
                .start()) {
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() ->
                            assertThat(lines).anyMatch(line -> line.startsWith("[server 0]") && line.contains(text)));
            assertThat(job.process("server 0").isAlive()).isTrue();
        }
        assertThat(lines).noneMatch(line -> line.contains("incubator"));
    }

    private static boolean hasModule() {
        return ModuleFinder.ofSystem().find("jdk.incubator.vector").isPresent();
    }

    private static List<String> flags(@Nullable String vectors, int release) {
        return NodeJvm.serverFlags(vectors, release, ModuleFinder.ofSystem());
    }
}
