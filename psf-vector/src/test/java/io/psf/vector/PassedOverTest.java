package io.psf.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A JVM with the module, and one without: the same weights, one by vectors and one by tiles. */
class PassedOverTest {
    private static final int ROWS = 3001;

    @Test
    void withoutTheModuleTheTilesStep() throws Exception {
        List<String> without = run();
        List<String> with = run("--add-modules=jdk.incubator.vector");
        assertThat(with).anyMatch(line -> line.contains("optimizers step with vectors of"));
        assertThat(without)
                .noneMatch(line -> line.contains("optimizers step with"))
                .noneMatch(line -> line.contains("Exception"));
        assertThat(hash(with)).isEqualTo(hash(without));
    }

    private static String hash(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("hash "))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> run(String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PassedOverTest.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as("%s", lines).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }

    /** Trains a little, and prints what the weights are. */
    public static void main(String[] arguments) {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS, 3).optimizer(Optimizers.adam(0.01)));
            float[] gradient = new float[3 * ROWS];
            for (int step = 0; step < 5; step++) {
                for (int i = 0; i < gradient.length; i++) {
                    gradient[i] = (i % 17 - 8) * 0.1f + step;
                }
                Tensors.push(worker, w, gradient).await();
            }
            System.out.println("hash " + Arrays.hashCode(Tensors.pull(worker, w)));
        }
    }
}
