package io.psf.interchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.Initializers;
import io.psf.builtin.Model;
import io.psf.builtin.ModelWriter;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class ParquetTest {
    private static final TensorId E = TensorId.of("e");
    private static final int ROWS = 1050;
    private static final int WIDTH = 3;

    @TempDir
    private Path folder;

    private int steps;

    private static long[] keys() {
        long[] keys = new long[ROWS];
        Arrays.setAll(keys, i -> i % 3 == 0 ? i : Long.MAX_VALUE / 2 - i * 77L * (i % 7 == 0 ? -1 : 1));
        keys[5] = Long.MIN_VALUE;
        return keys;
    }

    private static float[] values() {
        float[] values = new float[ROWS * WIDTH];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 50 == 7 ? Float.NaN : i % 41 - 3.25f;
        }
        return values;
    }

    /** Returns the rows of a file, by way of a checkpoint. */
    private Map<Long, float[]> rows(Path file) {
        Path place = folder.resolve("place");
        try (ModelWriter writer = ModelWriter.begin(new FolderStore(place), "m", steps)) {
            VectorFile.parquet(file).addTo(writer, E, true, "");
            writer.commit();
        }
        Map<Long, float[]> rows = new TreeMap<>();
        Model.open(place, "m", steps++).rows(E, (key, row) -> rows.put(key, row.clone()));
        return rows;
    }

    private static void requireRows(Map<Long, float[]> rows) {
        assertThat(rows).hasSize(ROWS);
        for (int i = 0; i < ROWS; i++) {
            assertThat(rows.get(keys()[i]))
                    .as("row %d", i)
                    .isEqualTo(Arrays.copyOfRange(values(), i * WIDTH, (i + 1) * WIDTH));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, false, 0, 0",
        "0, true, 5, 9",
        "1, false, 8, 8",
        "1, true, 0, 8",
        "2, false, 5, 9",
        "2, true, 8, 0",
        "6, false, 5, 8",
        "6, true, 8, 9",
        "7, false, 0, 9",
        "7, true, 5, 8"
    })
    void filesOfOtherToolsAreRead(int codec, boolean isSecond, int ofKeys, int ofValues) throws IOException {
        Path file = folder.resolve("other.parquet");
        new OtherParquet(codec, isSecond, ofKeys, ofValues).write(file, keys(), values(), WIDTH);
        requireRows(rows(file));
    }

    @Test
    void theFilesOfAFolderAreOneTable() throws IOException {
        Path parts = Files.createDirectory(folder.resolve("parts"));
        new OtherParquet(1, false, 8, 8)
                .write(
                        parts.resolve("part-1.parquet"),
                        Arrays.copyOfRange(keys(), 400, ROWS),
                        Arrays.copyOfRange(values(), 400 * WIDTH, ROWS * WIDTH),
                        WIDTH);
        new OtherParquet(6, true, 5, 9)
                .write(
                        parts.resolve("part-0.parquet"),
                        Arrays.copyOf(keys(), 400),
                        Arrays.copyOf(values(), 400 * WIDTH),
                        WIDTH);
        Files.writeString(parts.resolve("_SUCCESS"), "");
        requireRows(rows(parts));
        new OtherParquet(0, false, 0, 0).write(parts.resolve("part-2.parquet"), new long[] {8}, new float[] {1, 2}, 2);
        assertThatThrownBy(() -> VectorFile.parquet(parts))
                .hasMessageContaining("part-2.parquet, column \"vector\": 2 floats in 1 rows (expected: 3 in each row");
        assertThatThrownBy(() -> VectorFile.parquet(folder)).hasMessageContaining("no files (expected: *.parquet");
    }

    /** Whatever the bytes are: the rows of the file, or an exception that names it. */
    @Test
    void aDamagedFileIsNamed() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path written = folder.resolve("written.parquet");
        try (ArrayWriter out = new ArrayWriter(written)) {
            ParquetWriter parquet = new ParquetWriter(out, "key", Map.of("vector", WIDTH));
            for (int i = 0; i < ROWS; i++) {
                parquet.row(keys()[i], Arrays.copyOfRange(values(), i * WIDTH, (i + 1) * WIDTH));
            }
            parquet.finish(Map.of());
            out.commit();
        }
        requireRows(rows(written));
        Path other = folder.resolve("other.parquet");
        int refused = 0;
        for (int run = 0; run < 300; run++) {
            boolean isOwn = run % 2 == 0;
            if (!isOwn) {
                int codec = new int[] {0, 1, 2, 6, 7}[run / 2 % 5];
                new OtherParquet(codec, run / 20 % 2 == 0, 5, 8).write(other, keys(), values(), WIDTH);
            }
            byte[] bytes = Files.readAllBytes(isOwn ? written : other);
            if (run % 3 == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            } else {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    int footer = run % 3 == 1 ? Math.min(700, bytes.length) : bytes.length;
                    bytes[bytes.length - 1 - random.nextInt(footer)] = (byte) random.nextInt();
                }
            }
            Path damaged = Files.write(folder.resolve("damaged.parquet"), bytes);
            try {
                rows(damaged);
            } catch (PsException e) {
                refused++;
                assertThat(e.code())
                        .as("seed %d, run %d: %s", seed, run, e)
                        .isIn(PsException.Code.STORAGE, PsException.Code.BAD_REQUEST);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", run " + run, e);
            }
        }
        assertThat(refused).as("seed %d", seed).isGreaterThan(150);
        byte[] bytes = Files.readAllBytes(written);
        bytes[bytes.length / 2] ^= 1;
        Files.write(written, bytes);
        assertThatThrownBy(() -> rows(written)).hasMessageContaining("written.parquet: checksum of a page");
        Files.writeString(written, "no table, but a text");
        assertThatThrownBy(() -> rows(written)).hasMessageContaining("not as in a Parquet file (expected: PAR1)");
    }

    @Test
    void aTableBeginsFromVectorsAndItsOtherRowsFromTheInitializer() throws IOException {
        Path file = folder.resolve("e.parquet");
        new OtherParquet(1, false, 0, 0).write(file, keys(), values(), WIDTH);
        Path few = folder.resolve("few.parquet");
        long[] some = {7, 2, 0};
        new OtherParquet(1, false, 0, 0).write(few, some, new float[] {7, 7, 7, 2, 2, 2, 0, 0, 0}, WIDTH);
        try (PsCluster cluster = PsCluster.builder().servers(2).start();
                Worker worker = cluster.worker()) {
            Tensors.init(worker, TensorSpec.growing("e", WIDTH).initializer(Initializers.constant(9)));
            Parquet.load(worker, E, file);
            float[] pulled = new float[ROWS * WIDTH];
            Tensors.pullRows(worker, E, keys(), pulled).await();
            assertThat(pulled).isEqualTo(values());
            float[] other = new float[WIDTH];
            Tensors.pullRows(worker, E, new long[] {-99}, other).await();
            assertThat(other).containsOnly(9);

            TensorId fixed =
                    Tensors.init(worker, TensorSpec.table("f", 9, WIDTH).initializer(Initializers.constant(9)));
            Parquet.load(worker, fixed, few);
            assertThat(Tensors.pull(worker, fixed))
                    .containsExactly(0, 0, 0, 9, 9, 9, 2, 2, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 7, 7, 7, 9, 9, 9);
            assertThatThrownBy(() -> Parquet.load(worker, fixed, file)).hasMessageContaining("OUT_OF_RANGE");
            TensorId narrow = Tensors.init(worker, TensorSpec.growing("narrow", 2));
            assertThatThrownBy(() -> Parquet.load(worker, narrow, few))
                    .hasMessageContaining(
                            "few.parquet: shape [3, 3] (expected: [growing, 2], the shape of tensor \"narrow\"");

            Path npy = folder.resolve("f.npy");
            Npy.save(worker, fixed, npy);
            TensorId more =
                    Tensors.init(worker, TensorSpec.table("more", 10, WIDTH).initializer(Initializers.constant(5)));
            Npy.load(worker, more, npy);
            assertThat(Arrays.copyOfRange(Tensors.pull(worker, more), 24, 30)).containsExactly(9, 9, 9, 5, 5, 5);
            TensorId fewer = Tensors.init(worker, TensorSpec.table("fewer", 8, WIDTH));
            assertThatThrownBy(() -> Npy.load(worker, fewer, npy))
                    .hasMessageContaining(
                            "shape [9, 3] (expected: [8, 3], the shape of tensor \"fewer\", or fewer rows)");
            VectorFile.npy(npy).load(worker, E);
            Tensors.pullRows(worker, E, new long[] {2}, other).await();
            assertThat(other).as("a table that grows has row i under key i").containsOnly(2);
        }
    }
}
