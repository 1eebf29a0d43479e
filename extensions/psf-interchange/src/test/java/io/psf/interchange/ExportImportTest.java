package io.psf.interchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class ExportImportTest {
    private static final TensorSpec W = TensorSpec.dense("layer-1/w", 300, 1000)
            .initializer(Initializers.normal(0, 1, 5))
            .optimizer(Optimizers.adam(0.1));
    private static final TensorSpec B = TensorSpec.dense("b", 7, 1).initializer(Initializers.uniform(-1, 1, 2));
    private static final TensorSpec TABLE = TensorSpec.growing("e", 3)
            .initializer(Initializers.uniform(-1, 1, 3))
            .optimizer(Optimizers.adaGrad(0.1));

    private final PsCluster cluster = PsCluster.builder().servers(3).start();
    private final Worker worker = cluster.worker();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        cluster.close();
    }

    private TensorId init(TensorSpec spec) {
        return Tensors.init(worker, spec);
    }

    private TensorId tableOf(int rows) {
        TensorId table = init(TABLE);
        long[] keys = new long[rows];
        Arrays.setAll(keys, i -> i * 7_777_777_777L - 5);
        float[] gradient = new float[rows * 3];
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = i % 11 - 5;
        }
        Tensors.pushRows(worker, table, keys, gradient).await();
        return table;
    }

    private Map<Long, List<Float>> rows(TensorId table) {
        Map<Long, List<Float>> rows = new TreeMap<>();
        for (long[] keys : Tensors.keys(worker, table)) {
            float[] values = new float[keys.length * 3];
            Tensors.pullRows(worker, table, keys, values).await();
            for (int i = 0; i < keys.length; i++) {
                rows.put(keys[i], List.of(values[3 * i], values[3 * i + 1], values[3 * i + 2]));
            }
        }
        return rows;
    }

    private static Map<Long, List<Float>> rows(OtherReader.Content keys, OtherReader.Content values) {
        Map<Long, List<Float>> rows = new TreeMap<>();
        float[] floats = (float[]) values.values();
        long[] ids = (long[]) keys.values();
        for (int i = 0; i < ids.length; i++) {
            rows.put(ids[i], List.of(floats[3 * i], floats[3 * i + 1], floats[3 * i + 2]));
        }
        assertThat(values.shape()).containsExactly(ids.length, 3);
        return rows;
    }

    private static OtherReader.Content array(Map<String, OtherReader.Content> arrays, String name) {
        return Objects.requireNonNull(arrays.get(name));
    }

    /** A tensor of width 1 that does not grow is a vector: [n]. Files with [n, 1] are loaded, too. */
    @Test
    void aVectorHasOneDimensionAndBothShapesAreLoaded() throws IOException {
        TensorId b = init(B);
        float[] before = Tensors.pull(worker, b);
        Path safetensors = folder.resolve("b.safetensors");
        Path npy = folder.resolve("b.npy");
        Safetensors.save(worker, safetensors, b);
        Npy.save(worker, b, npy);
        assertThat(array(OtherReader.safetensors(safetensors), "b").shape()).containsExactly(7);
        assertThat(OtherReader.npy(npy).shape()).containsExactly(7);
        Path column = folder.resolve("column.npy");
        Files.write(column, NpyHeader.write(ElementFormat.F32, List.of(7L, 1L)));
        byte[] values = Files.readAllBytes(npy);
        Files.write(column, Arrays.copyOfRange(values, values.length - 28, values.length), StandardOpenOption.APPEND);
        for (Path file : List.of(npy, column)) {
            Tensors.push(worker, b, new float[] {1, 2, 3, 4, 5, 6, 7}).await();
            Npy.load(worker, b, file);
            assertThat(Tensors.pull(worker, b)).as("%s", file).containsExactly(before);
        }
        Tensors.push(worker, b, new float[] {1, 2, 3, 4, 5, 6, 7}).await();
        Safetensors.load(worker, safetensors, b);
        assertThat(Tensors.pull(worker, b)).containsExactly(before);
    }

    @Test
    void allTensorsOfAModelAreReadByAnotherReaderAndComeBack() throws IOException {
        TensorId w = init(W.slices(5));
        TensorId b = init(B);
        TensorId table = tableOf(100_000);
        float[] ofW = Tensors.pull(worker, w);
        float[] ofB = Tensors.pull(worker, b);
        Map<Long, List<Float>> ofTable = rows(table);
        Path file = folder.resolve("model.safetensors");
        Safetensors.save(worker, file);
        assertThat(folder).isDirectoryNotContaining("glob:**.unfinished");

        Map<String, OtherReader.Content> arrays = OtherReader.safetensors(file);
        assertThat(arrays).containsOnlyKeys("layer-1/w", "b", "e.keys", "e.values");
        assertThat(array(arrays, "layer-1/w").values()).isEqualTo(ofW);
        assertThat(array(arrays, "layer-1/w").shape()).containsExactly(300, 1000);
        assertThat(array(arrays, "b").values()).isEqualTo(ofB);
        assertThat(rows(array(arrays, "e.keys"), array(arrays, "e.values"))).isEqualTo(ofTable);
        assertThat(Safetensors.list(file))
                .containsExactly(
                        new ArrayInfo("e.keys", "I64", List.of(100_000L)),
                        new ArrayInfo("b", "F32", List.of(7L)),
                        new ArrayInfo("e.values", "F32", List.of(100_000L, 3L)),
                        new ArrayInfo("layer-1/w", "F32", List.of(300L, 1000L)));

        Tensors.clear(worker, w);
        Tensors.clear(worker, b);
        Tensors.clear(worker, table);
        init(W.slices(2).initializer(Initializers.constant(9)));
        init(B.initializer(Initializers.constant(9)));
        init(TABLE);
        Safetensors.load(worker, file);
        assertThat(Tensors.pull(worker, w)).isEqualTo(ofW);
        assertThat(Tensors.pull(worker, b)).isEqualTo(ofB);
        assertThat(rows(table)).isEqualTo(ofTable);
    }

    @Test
    void anImportLeavesTheStateOfTheOptimizerAndRowsThatAreNotInTheFile() {
        TensorId b = init(B.optimizer(Optimizers.momentum(0.5, 0.5)));
        TensorId table = tableOf(10);
        float[] ones = new float[7];
        Arrays.fill(ones, 1);
        Tensors.push(worker, b, ones).await();
        float[] values = Tensors.pull(worker, b);
        Map<Long, List<Float>> before = rows(table);
        Path file = folder.resolve("model");
        Safetensors.save(worker, file, b, table);
        Tensors.push(worker, b, new float[7]).await();
        Tensors.pushRows(worker, table, new long[] {-5, 99}, new float[] {1, 1, 1, 1, 1, 1})
                .await();
        List<Float> added = rows(table).get(99L);
        Safetensors.load(worker, file, Map.of("b", b, "e", table));
        assertThat(Tensors.pull(worker, b)).isEqualTo(values);
        assertThat(rows(table))
                .containsAllEntriesOf(before)
                .containsEntry(99L, added)
                .hasSize(11);
        Tensors.push(worker, b, new float[7]).await();
        for (int i = 0; i < 7; i++) {
            assertThat(Tensors.pull(worker, b)[i]).isCloseTo(values[i] - 0.5f * 0.25f, Offset.offset(1e-6f));
        }
    }

    @Test
    void numpyFilesAreReadByAnotherReaderAndComeBack() throws IOException {
        TensorId b = init(B);
        TensorId table = tableOf(1000);
        float[] ofB = Tensors.pull(worker, b);
        Map<Long, List<Float>> ofTable = rows(table);
        Path file = folder.resolve("b.npy");
        Path keys = folder.resolve("keys.npy");
        Path values = folder.resolve("values.npy");
        Npy.save(worker, b, file);
        Npy.save(worker, table, keys, values);
        assertThat(OtherReader.npy(file).shape()).containsExactly(7);
        assertThat(OtherReader.npy(file).values()).isEqualTo(ofB);
        assertThat(rows(OtherReader.npy(keys), OtherReader.npy(values))).isEqualTo(ofTable);

        Tensors.push(worker, b, ofB).await();
        Tensors.clear(worker, table);
        init(TABLE);
        Npy.load(worker, b, file);
        Npy.load(worker, table, keys, values);
        assertThat(Tensors.pull(worker, b)).isEqualTo(ofB);
        assertThat(rows(table)).isEqualTo(ofTable);
        refused(() -> Npy.save(worker, table, file), "file of keys");
        refused(() -> Npy.save(worker, table, keys, keys), "expected: two files");
        byte[] before = Files.readAllBytes(keys);
        Path occupied = folder.resolve("occupied");
        Files.createDirectories(occupied.resolve("file"));
        Tensors.pushRows(worker, table, new long[] {77}, new float[3]).await();
        assertThatThrownBy(() -> Npy.save(worker, table, keys, occupied))
                .hasMessage("STORAGE: writing " + occupied + " (expected: a file, in a folder that exists)");
        assertThatThrownBy(() -> Npy.save(worker, b, folder.resolve("nope/b.npy")))
                .hasMessageStartingWith("STORAGE: writing ");
        assertThat(Files.readAllBytes(keys)).as("no new keys beside old values").isEqualTo(before);
        refused(() -> Npy.load(worker, b, keys, values), "no file of keys");
        refused(() -> Npy.load(worker, b, values), "shape [1000, 3]", "[7, 1]");
        refused(() -> Npy.load(worker, table, values, keys), "one dimension of keys");
    }

    @Test
    void numpyReadsTheFilesAndWritesOthers() throws Exception {
        assumeTrue(python("import numpy") == 0, "python3 with numpy is not on this machine");
        TensorId b = init(B);
        TensorId table = tableOf(50);
        Npy.save(worker, b, folder.resolve("b.npy"));
        Npy.save(worker, table, folder.resolve("keys.npy"), folder.resolve("values.npy"));
        float[] ofB = Tensors.pull(worker, b);
        Map<Long, List<Float>> ofTable = rows(table);
        assertThat(python("""
                import numpy as n
                b = n.load('b.npy')
                assert b.shape == (7,) and b.dtype == n.float32
                n.save('half.npy', b.reshape(7, 1).astype(n.float16))
                n.save('double.npy', b.astype(n.float64) * 2)
                n.save('fortran.npy', n.asfortranarray(n.ones((7, 2))))
                n.save('big.npy', b.astype('>f4'))
                n.save('one.npy', n.float32(5))
                keys, values = n.load('keys.npy'), n.load('values.npy')
                assert keys.dtype == n.int64 and values.shape == (50, 3)
                order = n.argsort(keys)
                n.save('keys.npy', keys[order])
                with open('values.npy', 'wb') as f:
                    n.lib.format.write_array(f, values[order] + 1, version=(2, 0))
                """)).isZero();
        Npy.load(worker, b, folder.resolve("half.npy"));
        float[] halves = Tensors.pull(worker, b);
        for (int i = 0; i < 7; i++) {
            assertThat(halves[i]).isNotEqualTo(0).isCloseTo(ofB[i], Offset.offset(0.0005f));
        }
        Npy.load(worker, b, folder.resolve("double.npy"));
        float[] doubles = Tensors.pull(worker, b);
        for (int i = 0; i < 7; i++) {
            assertThat(doubles[i]).isEqualTo(ofB[i] * 2);
        }
        TensorId one = init(TensorSpec.dense("one", 1, 1));
        Npy.load(worker, one, folder.resolve("one.npy"));
        assertThat(Tensors.pull(worker, one)).containsExactly(5);
        Npy.load(worker, table, folder.resolve("keys.npy"), folder.resolve("values.npy"));
        ofTable.replaceAll((key, row) -> row.stream().map(each -> each + 1).toList());
        assertThat(rows(table)).isEqualTo(ofTable);
        assertThatThrownBy(() -> Npy.load(worker, b, folder.resolve("fortran.npy")))
                .hasMessageContainingAll("fortran.npy", "ascontiguousarray");
        refused(() -> Npy.load(worker, b, folder.resolve("big.npy")), "type >f4", "little-endian");
    }

    @Test
    void theLibraryOfSafetensorsReadsTheFilesAndWritesOthers() throws Exception {
        assumeTrue(python("import numpy, safetensors.numpy") == 0, "python3 with safetensors is not on this machine");
        TensorId b = init(B);
        TensorId table = tableOf(50);
        float[] ofB = Tensors.pull(worker, b);
        Safetensors.save(worker, folder.resolve("model"), b, table);
        assertThat(python("""
                import numpy as n
                from safetensors.numpy import load_file, save_file
                m = load_file('model')
                assert m['b'].shape == (7,) and m['e.keys'].shape == (50,) and m['e.values'].shape == (50, 3)
                save_file({'x': m['b'] * 2, 'other': n.zeros(3, dtype=n.int8)}, 'doubled', {'by': 'a test'})
                """)).isZero();
        Safetensors.load(worker, folder.resolve("doubled"), Map.of("x", b));
        float[] doubles = Tensors.pull(worker, b);
        for (int i = 0; i < 7; i++) {
            assertThat(doubles[i]).isEqualTo(ofB[i] * 2);
        }
    }

    private int python(String script) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder("python3", "-c", script)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            return -1; // not installed
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static void refused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                .hasMessageContainingAll(words);
    }

    @Test
    void nothingChangesIfOneOfTheArraysDoesNotFit() {
        TensorId b = init(B);
        TensorId w = init(TensorSpec.dense("w", 4, 3));
        Path file = folder.resolve("model");
        Safetensors.save(worker, file, b, w);
        Tensors.clear(worker, w);
        init(TensorSpec.dense("w", 3, 4));
        float[] ones = new float[7];
        Arrays.fill(ones, 1);
        Tensors.push(worker, b, ones).await();
        float[] before = Tensors.pull(worker, b);
        refused(() -> Safetensors.load(worker, file, b, w), "model", "\"w\"", "shape [4, 3]", "[3, 4]");
        refused(() -> Safetensors.load(worker, file, Map.of("b", b, "v", w)), "no array \"v\"", "[b, w]");
        assertThat(Tensors.pull(worker, b)).isEqualTo(before);
        TensorId keys = init(TensorSpec.dense("e.keys", 3, 4));
        TensorId table = init(TABLE);
        refused(() -> Safetensors.save(worker, file, keys, table), "e.keys");
        assertThatThrownBy(() -> Safetensors.save(worker, folder.resolve("no/file"), b))
                .hasMessageContainingAll("no/file", "(expected: a file, in a folder that exists)");
        assertThatThrownBy(() -> Safetensors.load(worker, folder.resolve("missing"), b))
                .hasMessageContainingAll("missing", "NoSuchFile");
    }

    /** Pulls of such tensors are rounded. */
    @Test
    void anExportHasTheValuesOfTheServersWhateverTheFormatOnTheWire() throws IOException {
        TensorSpec exact = TensorSpec.dense("exact", 500, 700).initializer(Initializers.normal(0, 1, 9));
        TensorId w = init(TensorSpec.dense("w", 500, 700)
                .slices(4)
                .initializer(Initializers.normal(0, 1, 9))
                .wire(FloatType.INT8));
        TensorId table = init(TABLE.wire(FloatType.BFLOAT16));
        Tensors.pushRows(worker, table, new long[] {7}, new float[3]).await();
        TensorId same = init(TensorSpec.table("same", 8, 3).initializer(TABLE.initializer()));
        float[] row = new float[3];
        Tensors.pullRows(worker, same, new long[] {7}, row).await();
        Path file = folder.resolve("model");
        Safetensors.save(worker, file, w, table);
        Map<String, OtherReader.Content> arrays = OtherReader.safetensors(file);
        assertThat((float[]) array(arrays, "w").values()).isEqualTo(Tensors.pull(worker, init(exact)));
        assertThat((float[]) array(arrays, "e.values").values()).isEqualTo(row);
    }

    @Test
    void anEmptyTableIsTwoEmptyArrays() throws IOException {
        TensorId table = init(TABLE);
        Path file = folder.resolve("model");
        Safetensors.save(worker, file, table);
        assertThat(array(OtherReader.safetensors(file), "e.values").shape()).containsExactly(0, 3);
        Safetensors.load(worker, file, table);
        assertThat(rows(table)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"F16, 3c00 c000 0001 7bff 7c00 8400", "BF16, 3f80 c000 3380 477f 7f80 b880"})
    void shortFloatsAreConverted(String type, String words) throws IOException {
        String[] each = words.split(" ", -1);
        ByteBuffer data = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        for (String word : each) {
            data.putShort((short) Integer.parseInt(word, 16));
        }
        String json = "{\"x\": {\"shape\": [2, 1, 3], \"dtype\": \"" + type + "\", \"data_offsets\": [0, 12]}}";
        Path file = HeadersTest.file(folder, json, data.array());
        TensorId x = init(TensorSpec.dense("x", 2, 3));
        Safetensors.load(worker, file, x);
        float[] values = Tensors.pull(worker, x);
        assertThat(Arrays.copyOf(values, 2)).containsExactly(1, -2);
        assertThat(values[2]).isEqualTo(0x1p-24f);
        assertThat(values[3]).isEqualTo(type.equals("F16") ? 65504f : 65280f);
        assertThat(values[4]).isEqualTo(Float.POSITIVE_INFINITY);
        assertThat(values[5]).isEqualTo(-0x1p-14f);
    }
}
