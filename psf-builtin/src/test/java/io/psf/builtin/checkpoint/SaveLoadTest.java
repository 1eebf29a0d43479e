package io.psf.builtin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Caller;
import io.psf.api.Names;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SaveLoadTest {
    private static final int ROWS = 40;
    private static final int WIDTH = 3;
    private static final TensorId W = TensorId.of("w");

    @TempDir
    private Path folder;

    private PsCluster cluster(int servers) {
        return PsCluster.builder().servers(servers).checkpoints(folder).start();
    }

    private static TensorSpec spec(OptimizerSpec optimizer) {
        return spec("w", optimizer);
    }

    private static TensorSpec spec(String name, OptimizerSpec optimizer) {
        return TensorSpec.dense(name, ROWS, WIDTH)
                .initializer(Initializers.normal(0, 1, 5))
                .optimizer(optimizer);
    }

    private static float[] gradient(int n, int step) {
        Random random = new Random(step);
        float[] gradient = new float[n];
        for (int i = 0; i < n; i++) {
            gradient[i] = (float) random.nextGaussian();
        }
        return gradient;
    }

    /** Dense and sparse steps: rows 0 to 3 are stepped more often than the others. */
    private static void train(Worker worker, int from, int to) {
        train(worker, W, from, to);
    }

    private static void train(Worker worker, TensorId tensor, int from, int to) {
        for (int step = from; step < to; step++) {
            Tensors.pushRows(worker, tensor, new long[] {0, 3, step % 4}, gradient(3 * WIDTH, step))
                    .await();
            if (step % 3 == 0) {
                Tensors.push(worker, tensor, gradient(ROWS * WIDTH, -step)).await();
            }
        }
    }

    private static final List<OptimizerSpec> RULES =
            List.of(Optimizers.adam(0.01), Optimizers.adaGrad(0.1), Optimizers.momentum(0.1, 0.9), Optimizers.sgd(0.1));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void trainingGoesOnAsIfThereHadBeenNoBreak(int servers) {
        List<float[]> unbroken = new ArrayList<>();
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            for (OptimizerSpec rule : RULES) {
                TensorId tensor = Tensors.init(worker, spec(rule.name(), rule));
                train(worker, tensor, 1, 8);
                Tensors.save(worker, tensor, "run/step-8");
                train(worker, tensor, 8, 15);
                unbroken.add(Tensors.pull(worker, tensor));
            }
        }
        try (PsCluster cluster = cluster(servers)) {
            Worker worker = cluster.worker();
            for (OptimizerSpec rule : RULES) {
                TensorId tensor = Tensors.init(worker, spec(rule.name(), rule).initializer(Initializers.constant(9)));
                train(worker, tensor, 30, 35); // is forgotten
                Tensors.load(worker, tensor, "run/step-8");
                train(worker, tensor, 8, 15);
                assertThat(Tensors.pull(worker, tensor)).as("%s", rule).isEqualTo(unbroken.get(RULES.indexOf(rule)));
            }
        }
    }

    @Test
    void stateThatHadNotBegunIsZeroAgain() {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.adam(0.01)));
            Tensors.save(worker, W, "fresh");
            train(worker, 1, 5);
            float[] once = Tensors.pull(worker, W);
            Tensors.load(worker, W, "fresh");
            train(worker, 1, 5);
            assertThat(Tensors.pull(worker, W)).isEqualTo(once);
        }
    }

    @Test
    void synchronousTensorsAndTensorsLargerThanTheBufferComeBack() {
        TensorSpec spec = TensorSpec.dense("large/%", 300_001, 1)
                .initializer(Initializers.uniform(-1, 1, 3))
                .optimizer(Optimizers.momentum(0.1, 0.5))
                .updates(Updates.SUM);
        TensorId large = spec.tensor().id();
        float[] gradient = gradient(300_001, 1);
        try (PsCluster cluster = cluster(3)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec.slices(7));
            Tensors.push(worker, large, gradient).await();
            Tensors.save(worker, large, "a");
            Tensors.push(worker, large, gradient).await();
            float[] twice = Tensors.pull(worker, large);
            Tensors.clear(worker, large);
            Tensors.init(worker, spec.slices(2));
            Tensors.load(worker, large, "a");
            Tensors.push(worker, large, gradient).await();
            assertThat(Tensors.pull(worker, large)).isEqualTo(twice);
        }
        assertThat(folder.resolve("a").resolve("large%2F%25.tensor").resolve("manifest"))
                .exists();
    }

    /** A tensor saved on two servers, in three slices. */
    private float[] save(String checkpoint) {
        try (PsCluster cluster = cluster(2)) {
            Tensors.init(cluster.worker(), spec(Optimizers.adam(0.01)).slices(3));
            train(cluster.worker(), 1, 4);
            Tensors.save(cluster.worker(), W, checkpoint);
            return Tensors.pull(cluster.worker(), W);
        }
    }

    private List<Path> files(String checkpoint) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(checkpoint).resolve("w.tensor"))) {
            return files.filter(file -> file.toString().endsWith(".shard"))
                    .sorted()
                    .toList();
        }
    }

    /** The file of the rows from one on. */
    private Path file(String checkpoint, int begin) throws IOException {
        return files(checkpoint).stream()
                .filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}-" + begin + "-[0-9]+\\.shard"))
                .findFirst()
                .orElseThrow();
    }

    /** What loading fails with; no value has changed. */
    private PsException refusal(TensorSpec spec, String checkpoint) {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec);
            float[] before = Tensors.pull(worker, W);
            PsException e = catchThrowableOfType(PsException.class, () -> Tensors.load(worker, W, checkpoint));
            assertThat(Tensors.pull(worker, W)).isEqualTo(before);
            assertThat(e).as("refused").isNotNull();
            return e;
        }
    }

    private PsException refusal(String checkpoint) {
        return refusal(spec(Optimizers.adam(0.01)), checkpoint);
    }

    @Test
    void aFlippedBitIsRefusedWhereverItIs() throws IOException {
        save("flipped");
        Path file = file("flipped", 13);
        long bytes = Files.size(file);
        for (long at : new long[] {0, 8, 40, bytes / 2, bytes - 5, bytes - 1}) {
            flip(file, at);
            assertThat(refusal("flipped"))
                    .hasMessageStartingWith("STORAGE: " + file + ", rows [13, 26): damaged, checksum")
                    .hasMessageContaining("in psf.load on tensor \"w\"");
            flip(file, at);
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 4));
            channel.write(one.flip(), at);
        }
    }

    @Test
    void aTruncatedFileIsRefused() throws IOException {
        save("cut");
        Path file = file("cut", 26);
        long bytes = Files.size(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes - 7);
        }
        assertThat(refusal("cut"))
                .hasMessageContaining(
                        file + ", rows [26, 40): damaged, bytes: " + (bytes - 7) + " (expected: " + bytes + ")");
    }

    @Test
    void aMissingFileIsRefusedWithItsRows() throws IOException {
        save("missing");
        Path file = file("missing", 0);
        Files.delete(file);
        assertThat(refusal("missing")).hasMessageStartingWith("STORAGE: " + file + ", rows [0, 13): no such file");
    }

    @Test
    void aDirectoryThatCannotBeCreatedIsRefusedWhenTheServerStarts() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> PsCluster.builder()
                        .servers(1)
                        .checkpoints(file.resolve("below"))
                        .start())
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION))
                .hasMessageContaining("directory for checkpoints: " + file.resolve("below") + ", ")
                .hasMessageContaining("(expected: one that this server can create and write)");
    }

    @Test
    void aDamagedManifestIsRefused() throws IOException {
        save("manifest");
        Path file = folder.resolve("manifest/w.tensor/manifest");
        String text = Files.readString(file);
        assertThat(text).startsWith("psf-checkpoint 1\nshape 40 3\nsave ").contains("\nrows 13 26 ");
        Files.writeString(file, text.replace("rows 13 26", "rows 13 27"));
        assertThat(refusal("manifest")).hasMessageStartingWith("STORAGE: " + file + ": damaged, last line: crc32c ");
        Files.writeString(file, text.replace("checkpoint 1", "checkpoint 3"));
        assertThat(refusal("manifest"))
                .hasMessageContaining("damaged, first line: psf-checkpoint 3, not psf-checkpoint 1");
        Files.delete(file);
        assertThat(refusal("manifest"))
                .hasMessageStartingWith("STORAGE: tensor \"w\" in checkpoint \"manifest\": no " + file
                        + " (expected: a tensor that has been saved there under this name)");
    }

    @Test
    void anotherShapeOrOptimizerIsRefusedWithBoth() {
        save("other");
        assertThat(refusal(TensorSpec.dense("w", ROWS, 4).optimizer(Optimizers.adam(0.01)), "other"))
                .hasMessageContaining("BAD_REQUEST: shape of checkpoint \"other\": [40, 3] (expected: [40, 4], the"
                        + " shape of tensor \"w\")");
        assertThat(refusal(spec(Optimizers.sgd(0.01)), "other"))
                .hasMessageContaining("BAD_REQUEST: optimizer of checkpoint \"other\": psf.adam (expected: psf.sgd, the"
                        + " optimizer of tensor \"w\")");
    }

    @Test
    void anotherLearningRateIsTaken() {
        float[] saved = save("rate");
        try (PsCluster cluster = cluster(1)) {
            Tensors.init(cluster.worker(), spec(Optimizers.adam(0.5)));
            Tensors.load(cluster.worker(), W, "rate");
            assertThat(Tensors.pull(cluster.worker(), W)).isEqualTo(saved);
        }
    }

    @Test
    void aNameThatLeadsOutOfTheDirectoryIsRefused() throws IOException {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder.resolve("in")).start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.sgd(0.1)));
            String absolute = folder.resolve("x").toString();
            for (String name : List.of(
                    "../x",
                    "..",
                    "a/../../x",
                    absolute,
                    "",
                    "/",
                    "a//b",
                    "a/",
                    ".hidden",
                    "a\\..\\x",
                    "a\0b",
                    "a\nb",
                    "~",
                    "é",
                    "a".repeat(201))) {
                assertThatThrownBy(() -> Tensors.save(worker, W, name))
                        .as(name)
                        .isInstanceOf(PsException.class)
                        .hasMessageStartingWith("BAD_REQUEST: checkpoint: \"" + Names.printable(name)
                                + "\" (expected: a name below the server's directory");
                assertThatThrownBy(() -> Tensors.load(worker, W, name))
                        .hasMessageStartingWith("BAD_REQUEST: checkpoint: \"" + Names.printable(name) + "\"")
                        .hasMessageNotContaining("\n");
            }
        }
        try (Stream<Path> made = Files.walk(folder)) {
            assertThat(made).containsExactlyInAnyOrder(folder, folder.resolve("in"));
        }
    }

    @Test
    void aTensorsNameDoesNotLeadOutOfTheDirectoryEither() {
        TensorId id = TensorId.of("../../" + "é".repeat(100));
        try (PsCluster cluster = cluster(1)) {
            Tensors.init(cluster.worker(), TensorSpec.dense(id.name(), 2));
            Tensors.push(cluster.worker(), id, new float[] {1, 2}).await();
            Tensors.save(cluster.worker(), id, "named");
            Tensors.push(cluster.worker(), id, new float[] {5, 5}).await();
            Tensors.load(cluster.worker(), id, "named");
            assertThat(Tensors.pull(cluster.worker(), id)).containsExactly(1, 2);
        }
        assertThat(folder.resolve("named")).isDirectoryContaining("glob:**/..%2F..%2F*.tensor");
    }

    @Test
    void aServerWithoutADirectorySaysSo() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Tensors.init(cluster.worker(), spec(Optimizers.sgd(0.1)));
            assertThatThrownBy(() -> Tensors.save(cluster.worker(), W, "x"))
                    .hasMessageStartingWith("CONFIGURATION: PSF_CHECKPOINTS of server 0: not set (expected: a directory"
                            + " for checkpoints, the same for all servers; of an embedded cluster"
                            + " PsCluster.builder().checkpoints(..)) in psf.save on tensor \"w\"");
        }
    }

    @Test
    void anErrorOfTheDiskReachesTheCaller() throws IOException {
        Files.writeString(folder.resolve("taken"), "a file");
        Files.createDirectories(folder.resolve("full/w.tensor/manifest/below")); // where the file should be
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.sgd(0.1)));
            assertThatThrownBy(() -> Tensors.save(worker, W, "taken/below"))
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith("STORAGE: writing " + folder.resolve("taken/below/w.tensor"))
                    .hasMessageContaining("Not a directory");
            assertThatThrownBy(() -> Tensors.save(worker, W, "full"))
                    .hasMessageStartingWith("STORAGE: writing " + folder.resolve("full/w.tensor/manifest") + ": ")
                    .hasMessageContaining("in psf.save.commit");
            assertThat(folder.resolve("full/w.tensor")).isDirectoryNotContaining("glob:**.part");
            Tensors.push(worker, W, new float[ROWS * WIDTH]).await(); // the server goes on
        }
    }

    @Test
    void aSaveThatWasNotFinishedLeavesTheOneBefore() throws IOException {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.adam(0.01)));
            train(worker, 1, 3);
            Tensors.save(worker, W, "again");
            List<Path> first = files("again");
            float[] saved = Tensors.pull(worker, W);
            train(worker, 3, 6);
            SaveTensorPsf.stub(worker).call(W, "again", 77).await(); // and nobody commits it
            assertThat(files("again")).hasSize(4).containsAll(first);
            float[] later = Tensors.pull(worker, W);
            Tensors.load(worker, W, "again");
            assertThat(Tensors.pull(worker, W)).isEqualTo(saved).isNotEqualTo(later);
            train(worker, 3, 6);
            Tensors.save(worker, W, "again");
            assertThat(files("again")).hasSize(2).doesNotContainAnyElementsOf(first);
            Tensors.load(worker, W, "again");
            assertThat(Tensors.pull(worker, W)).isEqualTo(later);
        }
    }

    /** Calls as the worker, after something has been done that depends on the request. */
    private record Before(Worker worker, Consumer<Object> doing) implements FunctionCaller {
        @Override
        public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
            doing.accept(request);
            return worker.call(function, request, into, options);
        }
    }

    /** No file can be written there. */
    private static void fill(Path unfinished) {
        try {
            Files.createDirectories(unfinished.getParent());
            Files.createSymbolicLink(unfinished, Path.of("/dev/full"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> names(String checkpoint) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(checkpoint).resolve("w.tensor"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"of a shard", "of the manifest"})
    void aSaveThatCannotWriteLeavesWhatWasThereAndNothingElse(String file) throws IOException {
        TensorInfo w = new TensorInfo(W, ROWS, WIDTH);
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.adam(0.01)).slices(3));
            Path tensor = folder.resolve("full/w.tensor");
            Caller full = new Before(worker, request -> {
                if (request instanceof SaveTensor.Request save && file.equals("of a shard")) {
                    fill(tensor.resolve(String.format(Locale.ROOT, "%016x-13-26.shard.part", save.save())));
                } else if (request instanceof CommitTensor.Request && file.equals("of the manifest")) {
                    fill(tensor.resolve("manifest.part"));
                }
            });
            assertThatThrownBy(() -> TensorCheckpoints.save(full, w, "full"))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE))
                    .hasMessageContaining("a symbolic link");
            assertThat(names("full")).isEmpty();
            train(worker, 1, 3);
            float[] saved = Tensors.pull(worker, W);
            Tensors.save(worker, W, "full");
            List<String> good = names("full");
            train(worker, 3, 5);
            assertThatThrownBy(() -> TensorCheckpoints.save(full, w, "full")).hasMessageContaining("a symbolic link");
            assertThat(names("full")).isEqualTo(good).hasSize(4);
            Tensors.load(worker, W, "full");
            assertThat(Tensors.pull(worker, W)).isEqualTo(saved);
        }
    }

    @Test
    void aDiskThatIsFullInTheMiddleOfAFileLeavesWhatWasThere() throws IOException {
        Folder within = new Folder(folder);
        Path file = within.file("some.shard");
        within.replace(file, "before");
        assertThatThrownBy(() -> within.replace(file, channel -> {
                    channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                    throw new IOException("No space left on device");
                }))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE))
                .hasMessageContaining("No space left on device");
        assertThat(file).hasContent("before");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void whatADeadSaveHasLeftIsDeletedBeforeTheNextIsWritten() throws IOException {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.adam(0.01)));
            Tensors.save(worker, W, "dead");
            List<String> good = names("dead");
            Path tensor = folder.resolve("dead/w.tensor");
            SaveTensorPsf.stub(worker).call(W, "dead", 77).await(); // its worker dies before it commits
            Files.writeString(tensor.resolve("000000000000004e-0-20.shard.part"), "its server died");
            Files.writeString(tensor.resolve("notes.txt"), "somebody's own");
            List<String> seen = new ArrayList<>();
            Caller looking = new Before(worker, request -> {
                if (request instanceof SaveTensor.Request) {
                    try {
                        seen.addAll(names("dead"));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            });
            TensorCheckpoints.save(looking, new TensorInfo(W, ROWS, WIDTH), "dead");
            assertThat(seen).containsAll(good).contains("notes.txt").hasSize(good.size() + 1);
            assertThat(names("dead")).contains("notes.txt").hasSize(good.size() + 1);
            // a manifest that cannot be read may name any file
            SaveTensorPsf.stub(worker).call(W, "dead", 77).await();
            Files.writeString(tensor.resolve("manifest"), "damaged");
            List<String> all = names("dead");
            assertThat(CleanTensorPsf.stub(worker).call(1, W, "dead").await().deleted())
                    .isZero();
            assertThat(names("dead")).isEqualTo(all);
            assertThat(CleanTensorPsf.stub(worker).call(1, W, "never").await().deleted())
                    .isZero();
            Tensors.save(worker, W, "dead");
            assertThat(names("dead")).hasSize(good.size() + 1);
        }
    }

    @Test
    void aCommitThatDoesNotSeeAllFilesIsRefused() {
        try (PsCluster cluster = cluster(1)) {
            Tensors.init(cluster.worker(), spec(Optimizers.sgd(0.1)));
            CommitTensorPsf.Stub commit = CommitTensorPsf.stub(cluster.worker());
            SavedImage all = SavedImage.alone(5, 0, ROWS, 100, 0, 0);
            assertThatThrownBy(() ->
                            commit.call(1, W, ROWS, WIDTH, "x", 5, List.of(all)).await())
                    .hasMessageContaining(
                            "0000000000000005-0-40.shard, rows [0, 40): not seen by the server that writes"
                                    + " the manifest (expected: one directory for checkpoints that all servers share)");
            assertThatThrownBy(
                            () -> commit.call(1, W, ROWS, WIDTH, "x", 5, List.of(SavedImage.alone(5, 0, 30, 100, 0, 0)))
                                    .await())
                    .hasMessageContaining(
                            "a gap or an overlap at rows [30, 40) (expected: each row in one file, of [0, 40))");
        }
    }
}
