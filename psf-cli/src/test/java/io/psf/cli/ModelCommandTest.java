package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.interchange.ArrayInfo;
import io.psf.interchange.Safetensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ModelCommandTest {
    /** Two steps of a model: all tests read them, one copies them first. */
    @TempDir
    private static Path saved;

    @TempDir
    private Path folder;

    @BeforeAll
    static void twoSteps() {
        TensorId items = TensorId.of("items");
        TensorId users = TensorId.of("users");
        try (PsCluster cluster =
                        PsCluster.builder().servers(2).checkpoints(saved).start();
                Worker worker = cluster.worker(0)) {
            Tensors.init(
                    worker,
                    TensorSpec.table("items", 4, 2)
                            .initializer(Initializers.constant(1))
                            .optimizer(Optimizers.sgd(1)));
            Tensors.init(worker, TensorSpec.growing("users", 1).optimizer(Optimizers.adaGrad(0.5)));
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "jobs/ctr").keep(3).incremental(4);
            Tensors.pushRows(worker, users, new long[] {-7, 9, 11}, new float[] {2, 2, 2})
                    .await();
            checkpoints.save(10, Map.of("epoch", "1"));
            Tensors.pushRows(worker, items, new long[] {3}, new float[] {0.5f, -2})
                    .await();
            Tensors.pushRows(worker, users, new long[] {70}, new float[] {1}).await();
            Tensors.removeRows(worker, users, new long[] {9, 11}).await();
            checkpoints.save(20, Map.of("epoch", "2"));
        }
    }

    private static Cli.Said model(Path place, String... arguments) {
        List<String> all = new ArrayList<>(List.of("model"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--checkpoints", place.toString()));
        return Cli.run(all.toArray(String[]::new));
    }

    @Test
    void listNamesTheStepsTheNewestFirst() {
        Cli.Said said = model(saved, "list");

        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(said.out().lines())
                .satisfiesExactly(
                        title -> assertThat(title).matches("MODEL +STEP +SAVED +TENSORS +BYTES +STATE"),
                        line -> assertThat(line).matches("jobs/ctr +20 +20\\S+Z +2 +\\S+ K?i?B +complete"),
                        line -> assertThat(line).matches("jobs/ctr +10 +20\\S+Z +2 +\\S+ K?i?B +complete"));
    }

    @Test
    void showHasTheTensorsTheRecordsAndOneRow() {
        assertThat(model(saved, "show", "jobs/ctr").out())
                .containsPattern("model jobs/ctr, step 20, saved \\S+Z, ")
                .containsPattern("items +\\[4, 2\\] +4 +.*B +psf.sgd")
                .containsPattern("users +\\[growing, 1\\] +2 +.*B +psf.adagrad +\\S+")
                .contains("record of worker 0, step 20: {epoch=2}");
        assertThat(model(saved, "show", "jobs/ctr", "--step", "10").out())
                .containsPattern("users +\\[growing, 1\\] +3 ")
                .contains("{epoch=1}");
        assertThat(model(saved, "show", "jobs/ctr", "--tensor", "items").out())
                .contains("shape        [4, 2]\nrows         4\n")
                .contains("declaration  ");
        Cli.Said row = model(saved, "show", "jobs/ctr", "--tensor", "items", "--row", "3");
        assertThat(row.exit()).isZero();
        assertThat(row.out()).isEqualTo("values  [0.5, 3.0]\n");
        assertThat(model(saved, "show", "jobs/ctr", "--tensor", "users", "--row", "70")
                        .out())
                .matches("values  \\[-0\\.\\d+\\]\n\\S+  \\[1.0\\]\n");
        Cli.Said removed = model(saved, "show", "jobs/ctr", "--tensor", "users", "--row", "9");
        assertThat(removed.exit()).isEqualTo(1);
        assertThat(removed.out()).isEqualTo("tensor users: no row of key 9\n");
    }

    @Test
    void diffCountsTheRowsOfEachTensor() {
        assertThat(model(saved, "diff", "jobs/ctr", "10", "20").out().lines())
                .satisfiesExactly(
                        title -> assertThat(title).matches("TENSOR +CHANGED +ADDED +REMOVED +LARGEST"),
                        line -> assertThat(line).matches("items +1 +0 +0 +2.0"),
                        line -> assertThat(line).matches("users +0 +1 +2 +0.0"));
        assertThat(model(saved, "diff", "jobs/ctr", "20", "10").out())
                .containsPattern("items +1 +0 +0 +2.0")
                .containsPattern("users +0 +2 +1 +0.0");
    }

    @Test
    void exportWritesWhatOtherToolsRead() {
        Path file = folder.resolve("ctr.safetensors");
        Cli.Said said = model(saved, "export", "jobs/ctr", "--format", "safetensors", "--to", file.toString());
        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(Safetensors.list(file))
                .extracting(ArrayInfo::name, ArrayInfo::shape)
                .containsExactly(
                        tuple("users.keys", List.of(2L)),
                        tuple("items", List.of(4L, 2L)),
                        tuple("users.values", List.of(2L, 1L)));
        said = model(saved, "export", "jobs/ctr", "--format", "npy", "--to", folder.toString(), "--step", "10");
        assertThat(said.exit()).as(said.err()).isZero();
        for (String each : List.of("items.npy", "users.keys.npy", "users.values.npy")) {
            assertThat(folder.resolve(each)).isNotEmptyFile();
        }
        assertThat(folder.resolve("users.keys.npy")).hasSize(64 * 2 + 3 * Long.BYTES);
    }

    /** The imported step is the exported one, with slots, and with values alone. */
    @Test
    void whatIsExportedIsImportedAsAnEqualStep() throws IOException {
        copy(folder);
        Path tables = Files.createDirectory(folder.resolve("tables"));
        Cli.Said said =
                model(folder, "export", "jobs/ctr", "--format", "parquet", "--states", "--to", tables.toString());
        assertThat(said.exit()).as(said.err()).isZero();
        said = imported(30, tables.resolve("items.parquet"), tables.resolve("users.parquet"));
        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(said.out()).isEqualTo("""
                items: 4 rows of 2, fixed
                users: 2 rows of 1, growing
                model jobs/ctr, step 30
                """);
        requireEqual("20", "30");
        assertThat(model(folder, "show", "jobs/ctr", "--tensor", "users", "--row", "70")
                        .out())
                .isEqualTo(model(saved, "show", "jobs/ctr", "--tensor", "users", "--row", "70")
                        .out());
        assertThat(model(folder, "show", "jobs/ctr").out()).containsPattern("users +\\[growing, 1\\] .* psf.adagrad ");

        Path file = folder.resolve("ctr.safetensors");
        said = model(folder, "export", "jobs/ctr", "--format", "safetensors", "--to", file.toString());
        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(imported(40, file).exit()).isZero();
        requireEqual("20", "40");
        assertThat(model(folder, "verify", "jobs/ctr").exit()).isZero();

        Path named = folder.resolve("my%2Fnew%20words.keys.npy");
        assertThat(model(folder, "export", "jobs/ctr", "--format", "npy", "--to", tables.toString())
                        .exit())
                .isZero();
        Files.copy(tables.resolve("users.keys.npy"), named);
        Files.copy(tables.resolve("users.values.npy"), folder.resolve("my%2Fnew%20words.values.npy"));
        assertThat(imported(41, named, tables.resolve("items.npy")).out()).isEqualTo("""
                my/new words: 2 rows of 1, growing
                items: 4 rows of 2, fixed
                model jobs/ctr, step 41
                """);
        assertThat(model(folder, "export", "jobs/ctr", "--format", "npy", "--to", tables.toString())
                        .exit())
                .isZero();
        assertThat(tables.resolve(named.getFileName())).hasSize(Files.size(named));

        Path mixed = folder.resolve("mixed.safetensors"); // an array of numbers that are no floats
        String header = "{\"ids\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
                + "\"w\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]}}";
        ByteBuffer bytes = ByteBuffer.allocate(8 + header.length() + 16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII));
        Files.write(mixed, bytes.array());
        assertThat(imported(42, mixed).err()).contains("array \"ids\": type I64 (expected: floats)");
        assertThat(imported(42, mixed, "--tensor", "w").out()).startsWith("w: 1 rows of 2, fixed\n");

        assertThat(imported(40, file).err())
                .isEqualTo("psf: BAD_REQUEST: step of model \"jobs/ctr\" in " + folder
                        + ": 40 (expected: above 42, the newest that it has)");
        assertThat(imported(50, file, "--tensor", "other").err())
                .isEqualTo("psf: --tensor: other (expected: one of [items, users], which the files have)");
        assertThat(imported(50, file, "--tensor", "users", "--table", "fixed").err())
                .contains("array \"users.values\", key of row 0: ")
                .endsWith(" (expected: 0, since the table does not grow)");
        assertThat(imported(50, file, "--table", "hashed").err())
                .isEqualTo("psf: --table: hashed (expected: growing or fixed)");
        assertThat(imported(50, tables.resolve("users.parquet"), "--vector", "embedding")
                        .err())
                .contains("users.parquet, column \"embedding\": none (expected: a column of ")
                .endsWith("there are [key, vector, adagrad.a])");
        assertThat(model(folder, "export", "jobs/ctr", "--format", "npy", "--states", "--to", "x")
                        .err())
                .isEqualTo("psf: --states: with npy (expected: with --format parquet)");
        assertThat(imported(50, tables.resolve("users.parquet"), "--tensor", "people")
                        .exit())
                .isZero();
        assertThat(model(folder, "show", "jobs/ctr").out()).contains("people").doesNotContain("items");
    }

    private Cli.Said imported(long step, Object... arguments) {
        List<String> all = new ArrayList<>(List.of("model", "import", "--model", "jobs/ctr", "--from"));
        for (Object each : arguments) {
            all.add(each.toString());
        }
        all.addAll(List.of("--to", folder.toString(), "--step", step + ""));
        return Cli.run(all.toArray(String[]::new));
    }

    private void requireEqual(String step, String other) {
        assertThat(model(folder, "diff", "jobs/ctr", step, other).out())
                .containsPattern("items +0 +0 +0 +0.0")
                .containsPattern("users +0 +0 +0 +0.0");
    }

    private static void copy(Path to) throws IOException {
        for (String each :
                List.of("step-000000000010", "step-000000000020")) { // the second builds on files of the first
            Path copy = Files.createDirectories(to.resolve("jobs/ctr").resolve(each));
            try (var files = Files.newDirectoryStream(saved.resolve("jobs/ctr").resolve(each))) {
                for (Path file : files) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
        }
    }

    @Test
    void verifyNamesADamagedFile() throws IOException {
        assertThat(model(saved, "verify", "jobs/ctr").exit()).isZero();
        assertThat(model(saved, "verify", "jobs/ctr").out().lines())
                .allMatch(line -> line.matches("step [12]0: verified, .*B"))
                .hasSize(2);
        Path step = folder.resolve("jobs/ctr/step-000000000020");
        copy(folder);
        Path pack;
        try (var packs = Files.newDirectoryStream(step, "*.pack")) {
            pack = packs.iterator().next();
        }
        try (RandomAccessFile bytes = new RandomAccessFile(pack.toFile(), "rw")) {
            bytes.seek(bytes.length() - 10);
            int was = bytes.read();
            bytes.seek(bytes.length() - 10);
            bytes.write(was ^ 1);
        }
        Cli.Said damaged = model(folder, "verify", "jobs/ctr");
        assertThat(damaged.exit()).isEqualTo(1);
        assertThat(damaged.out()).startsWith("step 20: " + pack + ", tensor \"").contains("checksum");
        Files.delete(pack);
        assertThat(model(folder, "verify", "jobs/ctr").exit()).isEqualTo(1);
        assertThat(model(folder, "list").out())
                .contains(" damaged\n")
                .contains("    reading " + pack + ": no such file");
        Files.delete(step.resolve("model"));
        assertThat(model(folder, "verify", "jobs/ctr").exit()).isZero();
        assertThat(model(folder, "list").out()).contains(" unfinished\n");
    }

    @Test
    void whatIsMissingIsOneSentence() {
        assertThat(Cli.run("model", "list").err())
                .isEqualTo("psf: --checkpoints: not set (expected: the directory of the checkpoints; or the setting"
                        + " PSF_CHECKPOINTS)");
        Cli.Said none = model(saved, "verify", "none");
        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.err())
                .isEqualTo("psf: STORAGE: model \"none\" in " + saved
                        + ": no steps (expected: a model that has been saved there)");
        assertThat(model(saved, "export", "jobs/ctr", "--format", "csv", "--to", "x")
                        .err())
                .isEqualTo("psf: --format: csv (expected: safetensors, npy or parquet)");
        assertThat(model(saved, "show", "jobs/ctr", "--row", "3").err())
                .isEqualTo("psf: --tensor: not set (expected: the tensor of --row 3)");
        assertThat(model(saved, "show", "jobs/ctr", "--tensor", "").err()).startsWith("psf: --tensor: ");
        assertThat(model(saved, "show", "jobs/ctr", "--tensor", "item").err())
                .startsWith("psf: BAD_REQUEST: tensor \"item\": not in ")
                .endsWith("(expected: one of [items, users])");
        assertThat(Cli.run("model").out()).contains("list", "show", "verify", "export", "diff");
    }
}
