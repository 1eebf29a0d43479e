package io.psf.builtin.internal.checkpoint;

import static io.psf.builtin.RowSamples.list;
import static io.psf.builtin.RowSamples.pulled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Laws;
import io.psf.builtin.Model;
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
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
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
            SavedFiles files = new SavedFiles(directory, "model/t.tensor");
            Map<SavedImage, byte[]> contents = files.contents(0);
            byte[] bytes = contents.values().iterator().next();
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            int at = 0;
            while (buffer.getLong(at) != 1003) {
                at++;
            }
            buffer.putLong(at, 1001);
            seal(bytes);
            files.write(0, contents, files);
            Tensors.load(worker, T, "model");
            float[] values = new float[keys.length * WIDTH];
            Tensors.pullRows(worker, T, keys, values).await();
            assertThat(values).containsExactly(1, 1, 2, 2, 0, 0, 4, 4);
        }
    }

    /** Saves the tensor in chains of three images each. */
    private static void saveIncrements(Worker worker, ModelCheckpoints checkpoints, boolean grows) {
        checkpoints.save(0, Map.of());
        for (long step = 1; step <= 2; step++) {
            train(worker, 0, 5, 14, 20, 27, 33);
            if (grows) {
                Tensors.removeRows(worker, T, new long[] {2, 4, 7 - step}).await();
            }
            checkpoints.save(step, Map.of());
        }
    }

    @Test
    void keysOfAnIncrementThatDoNotAscendAreDamage() throws IOException {
        try (PsCluster cluster =
                PsCluster.builder().servers(1).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.table("t", 40, WIDTH).slices(1));
            saveIncrements(worker, ModelCheckpoints.at(worker, "good").incremental(2), false);
        }
        SavedFiles files = new SavedFiles(directory, "good");
        Map<SavedImage, byte[]> contents = files.contents(2);
        byte[] bytes = Objects.requireNonNull(contents.get(files.written("t", 2).get(0)));
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (buffer.getLong(at) != 14 || buffer.getLong(at + 8) != 20) {
            at++;
        }
        buffer.putLong(at, 20).putLong(at + 8, 14);
        seal(bytes);
        files.write(2, contents, files);
        Model model = Model.open(directory, "good", 2);
        assertThatThrownBy(() -> model.row(T, 14))
                .hasMessageContaining("damaged, key 14 after key 20: not above (expected: above)");
    }

    /** Returns the rows that {@link Model} reads, and reads the slots; null if it refuses the files. */
    private @Nullable Map<Long, List<Float>> read(int seed) {
        Map<Long, List<Float>> rows = new TreeMap<>();
        try {
            Model model = Model.open(directory, "model/t.tensor");
            for (String slot : model.tensor(T).slots().keySet()) {
                model.rows(T, slot, (key, values) -> {});
            }
            model.rows(T, (key, values) -> rows.putIfAbsent(key, list(values)));
            model.rows(
                    T,
                    rows.keySet().stream().mapToLong(Long::longValue).toArray(),
                    (key, values) ->
                            assertThat(list(values)).as("seed %s", seed).isEqualTo(rows.get(key)));
            return rows;
        } catch (PsException e) {
            assertThat(e.code()).as("seed %s: %s", seed, e).isEqualTo(PsException.Code.STORAGE);
            return null;
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void whatIsRefusedHasChangedNothing(boolean grows, boolean incremental) throws IOException {
        long[] keys = LongStream.range(0, 40).toArray();
        int refused = 0;
        int late = 0;
        int compared = 0;
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorSpec spec = grows ? TensorSpec.growing("t", WIDTH) : TensorSpec.table("t", 40, WIDTH);
            Tensors.init(worker, spec.optimizer(Optimizers.adam(0.1)).slices(3));
            train(worker, keys);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "good").incremental(2);
            if (incremental) {
                saveIncrements(worker, checkpoints, grows);
            } else {
                checkpoints.save(2, Map.of());
            }
            SavedFiles saved = new SavedFiles(directory, "good");
            SavedFiles forged = new SavedFiles(directory, "model/t.tensor");
            assertThat(saved.bases("t", 2)).hasSize(incremental ? 6 : 0);
            Map<SavedImage, byte[]> good = saved.contents(2);
            List<SavedImage> images = List.copyOf(good.keySet());
            for (int seed = 0; seed < FORGED; seed++) {
                Random random = new Random(seed);
                SavedImage image = images.get(random.nextInt(images.size()));
                Map<SavedImage, byte[]> contents = new LinkedHashMap<>(good);
                contents.put(image, forged(Objects.requireNonNull(good.get(image)), random));
                saved.write(2, contents, forged);
                train(worker, 1, 2, 3, 20 + seed % 20);
                long before = digest(worker);
                Map<Long, List<Float>> read = read(seed);
                try {
                    Tensors.load(worker, T, "model");
                    if (read != null) {
                        assertThat(pulled(worker, T)).as("seed %s", seed).isEqualTo(read);
                        compared++;
                    }
                } catch (PsException e) {
                    assertThat(e.code()).as("seed %s: %s", seed, e).isNotEqualTo(PsException.Code.HANDLER_FAILED);
                    refused++;
                    late += digest(worker) == before ? 0 : 1;
                }
                saved.write(2, good, forged);
                Tensors.load(worker, T, "model");
            }
        }
        assertThat(late)
                .as("refused after something had changed, of %s", refused)
                .isZero();
        assertThat(refused).isBetween(FORGED / 3, FORGED - 1);
        assertThat(compared).as("read as they were loaded").isPositive();
    }
}
