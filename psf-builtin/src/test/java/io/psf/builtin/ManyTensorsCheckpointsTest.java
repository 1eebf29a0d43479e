package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.SavedFiles;
import io.psf.builtin.internal.checkpoint.SavedImage;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Models of many tensors are saved in few files, by all servers at once; {@code -Dpsf.laws.tensors=10000} saves more.
 */
@Timeout(300)
@Tag("long")
class ManyTensorsCheckpointsTest {
    private static final int MANY = Integer.getInteger("psf.laws.tensors", 2_000);

    @TempDir
    private Path folder;

    private PsCluster cluster(int servers) {
        return PsCluster.builder().servers(servers).checkpoints(folder).start();
    }

    private static List<TensorId> init(Worker worker, int tensors, int length, int first) {
        return Tensors.init(
                worker,
                IntStream.range(0, tensors)
                        .mapToObj(i -> TensorSpec.dense("t" + i, length).initializer(Initializers.constant(first + i)))
                        .toList());
    }

    private static long millis(long begin) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    private List<Path> files(long step) throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve(String.format(Locale.ROOT, "many/step-%012d", step)))) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    private static long bytes(List<Path> files) throws IOException {
        long bytes = 0;
        for (Path each : files) {
            bytes += (Files.size(each) + 4095) / 4096 * 4096; // as blocks on the disk
        }
        return bytes;
    }

    @Test
    void thousandsOfTensorsAreSavedInSomeFilesAndLoadedOnOtherServers() throws IOException {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker, MANY, 100, 0);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "many");
            long begin = System.nanoTime();
            checkpoints.save(1, Map.of());
            long first = millis(begin);
            begin = System.nanoTime();
            checkpoints.save(2, Map.of());
            long second = millis(begin);
            List<Path> files = files(2);
            System.out.printf(
                    "%,d tensors: saved in %d and %d ms, %d files, %,d bytes on the disk%n",
                    MANY, first, second, files.size(), bytes(files));
            assertThat(Math.min(first, second)).as("milliseconds").isLessThan(20_000);
            assertThat(files).hasSizeLessThan(60);
            assertThat(bytes(files)).isLessThan(2_000L * MANY);
        }
        try (PsCluster cluster = cluster(3)) {
            Worker worker = cluster.worker();
            List<TensorId> tensors = init(worker, MANY, 100, 7);
            long begin = System.nanoTime();
            assertThat(ModelCheckpoints.at(worker, "many")
                            .loadLatest()
                            .orElseThrow()
                            .step())
                    .isEqualTo(2);
            System.out.printf("%,d tensors: loaded in %d ms%n", MANY, millis(begin));
            for (int i = 0; i < MANY; i += 79) {
                assertThat(Tensors.pull(worker, tensors.get(i))).hasSize(100).containsOnly(i);
            }
        }
    }

    @Test
    void largeSlicesHaveTheirOwnFiles() throws IOException {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            TensorId small = Tensors.init(worker, TensorSpec.dense("small", 100));
            TensorId large = Tensors.init(
                    worker, TensorSpec.dense("large", 5 << 19).slices(2).initializer(Initializers.uniform(-1, 1, 3)));
            float[] values = Tensors.pull(worker, large);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "many").incremental(3);
            checkpoints.save(1, Map.of());
            SavedFiles saved = new SavedFiles(folder, "many");
            List<SavedImage> alone = saved.written("large", 1);
            assertThat(alone)
                    .hasSize(2)
                    .allSatisfy(image -> assertThat(saved.file(image)).hasSize(image.bytes()));
            assertThat(saved.written("small", 1))
                    .extracting(SavedImage::file)
                    .doesNotContainAnyElementsOf(
                            alone.stream().map(SavedImage::file).toList());
            Tensors.push(worker, small, new float[100]).await();
            checkpoints.save(2, Map.of());
            assertThat(saved.bases("large", 2)).isEqualTo(alone);
            Tensors.push(worker, large, values).await();
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(2);
            assertThat(Tensors.pull(worker, large)).isEqualTo(values);
        }
    }

    /** A measurement, not a check: a gigabyte beside a file of a gigabyte that is written and forced to the disk. */
    @Test
    @EnabledIfSystemProperty(named = "psf.gigabyte", matches = "true")
    void aGigabyteOfAThousandTensorsIsMeasured() throws IOException {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker, 1000, 250_000, 1);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "many").keep(1);
            for (int step = 1; step <= 4; step++) {
                long plain = write(folder.resolve("plain"), 1_000_000_000);
                long begin = System.nanoTime();
                checkpoints.save(step, Map.of());
                long saved = millis(begin);
                begin = System.nanoTime();
                var unused = checkpoints.load(step);
                System.out.printf(
                        "1 GB of 1,000 tensors: saved in %d ms, loaded in %d ms; %d files; a plain file: %d ms%n",
                        saved, millis(begin), files(step).size(), plain);
            }
        }
    }

    private static long write(Path file, long bytes) throws IOException {
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
        long begin = System.nanoTime();
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long left = bytes; left > 0; ) {
                some.clear().limit((int) Math.min(some.capacity(), left));
                left -= out.write(some);
            }
            out.force(true);
        }
        long took = millis(begin);
        Files.delete(file);
        return took;
    }
}
