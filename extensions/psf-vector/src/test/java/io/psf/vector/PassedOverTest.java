package io.psf.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.TensorId;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.optimizer.Sgd;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * JVMs with the module and without, and one that keeps vectors as objects: the same weights, by vectors or by tiles.
 */
class PassedOverTest {
    private static final String FLAG = "--add-modules=jdk.incubator.vector";
    private static final String EXPORT = "--add-exports=java.base/jdk.internal.vm.vector=ALL-UNNAMED";
    private static final String BY_VECTORS = "optimizer Adam steps with vectors of ";
    private static final String BY_TILES = "optimizers step through tiles: ";
    private static final int ROWS = 3001;
    /** Elements in a row of the table: a multiple of each machine's lanes. */
    private static final int WIDTH = 32;

    @Test
    void withoutTheFlagTheTilesStepAndOneLineNamesIt() throws Exception {
        List<String> without = run(BY_TILES, Map.of(), "train");
        List<String> with = run(BY_VECTORS, Map.of(), "train", FLAG, EXPORT);
        assertThat(with)
                .anyMatch(line -> line.contains(" INFO ") && line.contains(BY_VECTORS))
                .noneMatch(line -> line.contains(BY_TILES));
        assertThat(without)
                .filteredOn(line -> line.contains(" INFO ") && line.contains("optimizer"))
                .singleElement()
                .asString()
                .endsWith(BY_TILES + "the JVM was started without " + FLAG);
        assertThat(without).noneMatch(line -> line.contains(BY_VECTORS)).noneMatch(line -> line.contains("Exception"));
        assertThat(hash(with)).isEqualTo(hash(without));
    }

    @Test
    void onJdk17TheLineNamesTheOtherFlag() throws Exception {
        assumeTrue(Runtime.version().feature() == 17, "JDK 17");
        assertThat(run(BY_TILES, Map.of(), "train", FLAG))
                .anyMatch(line -> line.endsWith("the JVM was started without " + EXPORT));
    }

    @Test
    void theVariableDisablesVectorsAndNamesNoFlag() throws Exception {
        List<String> off = run(BY_TILES, Map.of("PSF_VECTORS", "off"), "train", FLAG);
        assertThat(off).anyMatch(line -> line.endsWith(BY_TILES + "PSF_VECTORS=off"));
        assertThat(off).noneMatch(line -> line.contains(BY_VECTORS)).noneMatch(line -> line.contains(" without "));
    }

    @Test
    void aJvmWithoutTheCompilerOfVectorsDoesNotTryThem() throws Exception {
        assertThat(run("warm ", Map.of(), "warm", FLAG, EXPORT, "-XX:TieredStopAtLevel=1"))
                .contains("warm false, at once");
    }

    @Tag("long")
    @Test
    void vectorsThatStayObjectsAreNotUsed() throws Exception {
        String[] objects = {"-XX:+UnlockExperimentalVMOptions", "-XX:-EnableVectorSupport", FLAG, EXPORT};
        assertThat(run("warm ", Map.of(), "warm", objects)).contains("warm false, tried");
        assertThat(run("warm ", Map.of(), "warm", FLAG, EXPORT)).anyMatch(line -> line.startsWith("warm true"));
    }

    private static String hash(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("hash "))
                .findFirst()
                .orElseThrow();
    }

    /** Runs {@link #main} in a JVM, whose standard input is closed when it has printed a text. Returns its lines. */
    private static List<String> run(String until, Map<String, String> environment, String work, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PassedOverTest.class.getName(), work));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("PSF_VECTORS");
        builder.environment().putAll(environment);
        Process process = builder.start();
        CompletableFuture<Void> limit = CompletableFuture.runAsync(
                process::destroyForcibly, CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS));
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (line.contains(until)) {
                    process.getOutputStream().close();
                }
            }
            assertThat(process.waitFor()).as("%s", lines).isZero();
            return lines;
        } finally {
            limit.cancel(false);
            process.destroyForcibly();
        }
    }

    /** Trains until the standard input is closed, then a little, and prints the weights' hash. Or warms up SGD. */
    public static void main(String[] arguments) {
        if (arguments[0].equals("warm")) {
            boolean warm = new VectorKernels().warmUp(new Sgd(0.1f));
            long seconds = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000_000;
            System.out.println("warm " + warm + (seconds < 2 ? ", at once" : ", tried"));
            return;
        }
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId before = init(worker, "before", Optimizers.adam(0.01));
            TensorId other = init(worker, "other", Optimizers.sgd(0.01));
            CompletableFuture<Integer> closed = CompletableFuture.supplyAsync(PassedOverTest::read);
            while (!closed.isDone()) {
                push(worker, before, 1);
                push(worker, other, 1);
            }
            TensorId w = init(worker, "w", Optimizers.adam(0.01));
            for (int step = 0; step < 5; step++) {
                push(worker, w, step);
            }
            TensorId table =
                    Tensors.init(worker, TensorSpec.table("table", ROWS, WIDTH).optimizer(Optimizers.adam(0.01)));
            for (int step = 0; step < 5; step++) {
                pushRows(worker, table, step);
            }
            System.out.println(
                    "hash " + Arrays.hashCode(Tensors.pull(worker, w)) + Arrays.hashCode(Tensors.pull(worker, table)));
        }
    }

    private static int read() {
        try {
            return System.in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TensorId init(Worker worker, String name, OptimizerSpec rule) {
        return Tensors.init(worker, TensorSpec.dense(name, ROWS, 3).optimizer(rule));
    }

    /** Pushes rows by key, many of which occur more than once. */
    private static void pushRows(Worker worker, TensorId table, int step) {
        long[] keys = new Random(step).longs(ROWS, 0, ROWS).toArray();
        float[] gradients = new float[ROWS * WIDTH];
        for (int i = 0; i < gradients.length; i++) {
            gradients[i] = (i % 23 - 11) * 0.1f + step;
        }
        Tensors.pushRows(worker, table, keys, gradients).await();
    }

    private static void push(Worker worker, TensorId tensor, int step) {
        float[] gradient = new float[3 * ROWS];
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = (i % 17 - 8) * 0.1f + step;
        }
        Tensors.push(worker, tensor, gradient).await();
    }
}
