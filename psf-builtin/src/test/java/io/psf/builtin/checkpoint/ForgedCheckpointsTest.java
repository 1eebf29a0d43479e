package io.psf.builtin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Laws;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that say something else than was saved, with checksums that are right: loaded as a whole, or not at all. */
@Timeout(120)
class ForgedCheckpointsTest {
    private static final int FORGED = Laws.cases(20);
    private static final int WIDTH = 2;
    private static final TensorId T = TensorId.of("t");

    /** What a four or eight byte number is replaced by. */
    private static final long[] NUMBERS = {0, 1, 2, 7, -1, 40, 1 << 20, Integer.MAX_VALUE, 1L << 40, Long.MIN_VALUE};

    @TempDir
    private Path directory;

    private static void train(Worker worker, long... keys) {
        int[] once = new int[keys.length];
        float[] gradient = new float[keys.length * WIDTH];
        Arrays.fill(once, 1);
        Arrays.fill(gradient, 0.5f);
        PushEmbeddingPsf.stub(worker)
                .call(T, LongArray.wrap(keys), FloatArray.wrap(gradient), IntArray.wrap(once))
                .await();
    }

    private Map<Path, byte[]> saved() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("model/t.tensor"))) {
            return files.collect(Collectors.toMap(
                    path -> path,
                    path -> {
                        try {
                            return Files.readAllBytes(path);
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    },
                    (a, b) -> a,
                    TreeMap::new));
        }
    }

    /** The file with something else in it, and a right checksum at its end. */
    private static byte[] forged(byte[] file, Random random) {
        byte[] bytes = file.clone();
        int at = random.nextInt(3) == 0
                ? random.nextInt(bytes.length - 12)
                : random.nextInt(Math.min(400, bytes.length - 12));
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        switch (random.nextInt(6)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> buffer.putInt(at & ~3, (int) NUMBERS[random.nextInt(NUMBERS.length)]);
            case 2 -> buffer.putLong(at & ~3, NUMBERS[random.nextInt(NUMBERS.length)]);
            case 3 -> System.arraycopy(file, random.nextInt(at + 1), bytes, at, 8);
            case 4 -> bytes = Arrays.copyOf(bytes, Math.max(8, bytes.length - 1 - random.nextInt(60)));
            default -> {
                int more = 1 + random.nextInt(60);
                bytes = Arrays.copyOf(bytes, bytes.length + more);
                System.arraycopy(file, at, bytes, at + more, file.length - at);
            }
        }
        seal(bytes);
        return bytes;
    }

    private static void seal(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(bytes.length - 4, (int) crc.getValue());
    }

    private static String sealed(String manifest, String file, byte[] bytes) {
        String[] name = file.substring(0, file.length() - ".shard".length()).split("-", -1);
        int checksum = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 4);
        String line = (manifest.contains("save " + name[0]) ? "rows" : "base " + name[0])
                + " %s %s ".formatted(name[1], name[2]);
        String lines = manifest.lines()
                .filter(each -> !each.startsWith("crc32c"))
                .map(each -> each.startsWith(line)
                        ? line + String.format(Locale.ROOT, "%d %08x", bytes.length, checksum)
                        : each)
                .collect(Collectors.joining("\n", "", "\n"));
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.UTF_8));
        return lines + String.format(Locale.ROOT, "crc32c %08x\n", (int) crc.getValue());
    }

    private static long digest(Worker worker) {
        return DigestPsf.stub(worker).call(T).await().digest();
    }

    @Test
    void ofAKeyThatIsInAFileTwiceTheFirstRowCounts() throws IOException {
        try (PsCluster cluster =
                PsCluster.builder().servers(1).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.growing("t", WIDTH));
            long[] keys = {1001, 1002, 1003, 1004};
            Tensors.pushRows(worker, T, keys, new float[] {1, 1, 2, 2, 3, 3, 4, 4})
                    .await();
            Tensors.save(worker, T, "model");
            Path manifest = directory.resolve("model/t.tensor/manifest");
            Path file = saved().keySet().stream()
                    .filter(path -> !path.equals(manifest))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(file);
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            int at = 0;
            while (buffer.getLong(at) != 1003) {
                at++;
            }
            buffer.putLong(at, 1001);
            seal(bytes);
            Files.write(file, bytes);
            Files.writeString(
                    manifest,
                    sealed(Files.readString(manifest), file.getFileName().toString(), bytes));
            Tensors.load(worker, T, "model");
            float[] values = new float[keys.length * WIDTH];
            Tensors.pullRows(worker, T, keys, values).await();
            assertThat(values).containsExactly(1, 1, 2, 2, 0, 0, 4, 4);
        }
    }

    /** Saves the tensor in chains of three files each, as models had them in earlier versions. */
    private void saveIncrements(Worker worker, boolean grows) throws IOException {
        ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "chains").incremental(2);
        checkpoints.save(0, Map.of());
        for (long step = 1; step <= 2; step++) {
            train(worker, 0, 5, 14, 20, 27, 33);
            if (grows) {
                Tensors.removeRows(worker, T, new long[] {2, 4, 7 - step}).await();
            }
            checkpoints.save(step, Map.of());
        }
        SavedFiles files = new SavedFiles(directory, "chains");
        assertThat(files.bases("t", 2)).hasSize(6);
        files.writeByTensor(2, directory.resolve("model"));
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void whatIsRefusedHasChangedNothing(boolean grows, boolean incremental) throws IOException {
        long[] keys = LongStream.range(0, 40).toArray();
        int refused = 0;
        int late = 0;
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorSpec spec = grows ? TensorSpec.growing("t", WIDTH) : TensorSpec.table("t", 40, WIDTH);
            Tensors.init(worker, spec.optimizer(Optimizers.adam(0.1)).slices(3));
            train(worker, keys);
            if (incremental) {
                saveIncrements(worker, grows);
            } else {
                Tensors.save(worker, T, "model");
            }
            Map<Path, byte[]> good = saved();
            Path manifest = directory.resolve("model/t.tensor/manifest");
            String text = Files.readString(manifest);
            List<Path> files = good.keySet().stream()
                    .filter(path -> !path.equals(manifest))
                    .toList();
            for (int seed = 0; seed < FORGED; seed++) {
                Random random = new Random(seed);
                Path file = files.get(random.nextInt(files.size()));
                byte[] original = Objects.requireNonNull(good.get(file));
                byte[] bytes = forged(original, random);
                Files.write(file, bytes);
                Files.writeString(manifest, sealed(text, file.getFileName().toString(), bytes));
                train(worker, 1, 2, 3, 20 + seed % 20);
                long before = digest(worker);
                try {
                    Tensors.load(worker, T, "model");
                } catch (PsException e) {
                    assertThat(e.code()).as("seed %s: %s", seed, e).isNotEqualTo(PsException.Code.HANDLER_FAILED);
                    refused++;
                    late += digest(worker) == before ? 0 : 1;
                }
                Files.write(file, original);
                Files.writeString(manifest, text);
                Tensors.load(worker, T, "model");
            }
        }
        assertThat(late)
                .as("refused after something had changed, of %s", refused)
                .isZero();
        assertThat(refused).isBetween(FORGED / 3, FORGED - 1);
    }
}
