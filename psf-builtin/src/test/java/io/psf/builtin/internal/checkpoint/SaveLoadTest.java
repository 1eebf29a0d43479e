package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.FaultyStore;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
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
        return cluster(servers, name -> {});
    }

    private PsCluster cluster(int servers, FaultyStore.Watcher watcher) {
        return PsCluster.builder()
                .servers(servers)
                .checkpoints(new FaultyStore(new FolderStore(folder), watcher))
                .start();
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
        assertThat(folder.resolve("a/large%2F%25.tensor/step-000000000000/model"))
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

    private SavedFiles files(String checkpoint) {
        return new SavedFiles(folder, checkpoint + "/w.tensor");
    }

    private Path step(String checkpoint, long step) {
        return folder.resolve(String.format(Locale.ROOT, "%s/w.tensor/step-%012d", checkpoint, step));
    }

    /** Returns the image of the rows from one on. */
    private SavedImage image(String checkpoint, int begin) {
        return files(checkpoint).written("w", 0).stream()
                .filter(each -> each.begin() == begin)
                .findFirst()
                .orElseThrow();
    }

    private Path file(String checkpoint, int begin) {
        return files(checkpoint).file(image(checkpoint, begin));
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
        SavedImage image = image("flipped", 13);
        Path file = file("flipped", 13);
        for (long at : new long[] {0, 8, 40, image.bytes() / 2, image.bytes() - 5, image.bytes() - 1}) {
            flip(file, image.offset() + at);
            assertThat(refusal("flipped"))
                    .hasMessageStartingWith("STORAGE: " + file + ", tensor \"w\", rows [13, 26): damaged, checksum")
                    .hasMessageContaining("in psf.model.load");
            flip(file, image.offset() + at);
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
                .hasMessageStartingWith("STORAGE: " + file + ": " + (bytes - 7) + " bytes (expected: " + bytes + ")");
    }

    @Test
    void aMissingFileIsRefused() throws IOException {
        save("missing");
        Path file = file("missing", 0);
        Files.delete(file);
        assertThat(refusal("missing")).hasMessageStartingWith("STORAGE: reading " + file + ": no such file");
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
        Path file = step("manifest", 0).resolve("model");
        String text = Files.readString(file);
        assertThat(text).startsWith("psf-model 2\nstep 0\nindex ").contains(" 40 3 w\n");
        Files.writeString(file, text.replace(" 40 3 w", " 41 3 w"));
        assertThat(refusal("manifest")).hasMessageStartingWith("STORAGE: " + file + ": damaged, last line: crc32c ");
        Files.writeString(file, text.replace("model 2", "model 3"));
        assertThat(refusal("manifest")).hasMessageContaining("damaged, first line: psf-model 3, not psf-model 2");
        Files.delete(file);
        assertThat(refusal("manifest"))
                .hasMessageStartingWith("STORAGE: tensor \"w\" in checkpoint \"manifest\": none");
        assertThat(refusal("never"))
                .hasMessage("STORAGE: tensor \"w\" in checkpoint \"never\": none (expected: saved under this name)");
    }

    @Test
    void anotherShapeOrOptimizerIsRefusedWithBoth() {
        save("other");
        assertThat(refusal(TensorSpec.dense("w", ROWS, 4).optimizer(Optimizers.adam(0.01)), "other"))
                .hasMessageContaining(
                        "BAD_REQUEST: shape of checkpoint \"other/w.tensor/step-000000000000\": [40, 3] (expected: [40, 4], the"
                                + " shape of tensor \"w\")");
        assertThat(refusal(spec(Optimizers.sgd(0.01)), "other"))
                .hasMessageContaining(
                        "BAD_REQUEST: optimizer of checkpoint \"other/w.tensor/step-000000000000\": psf.adam (expected: psf.sgd, the"
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
                            + " PsCluster.builder().checkpoints(..)) in psf.model.save");
        }
    }

    @Test
    void anErrorOfTheDiskReachesTheCaller() throws IOException {
        Files.writeString(folder.resolve("taken"), "a file");
        Files.writeString(
                Files.createDirectories(folder.resolve("full/w.tensor")).resolve("step-000000000000"), "");
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.sgd(0.1)));
            assertThatThrownBy(() -> Tensors.save(worker, W, "taken/below"))
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith("STORAGE: locking " + folder.resolve("taken/below"))
                    .hasMessageContaining("ot a directory");
            assertThatThrownBy(() -> Tensors.save(worker, W, "full"))
                    .hasMessageStartingWith("STORAGE: ")
                    .hasMessageContaining(step("full", 0).toString());
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
            float[] saved = Tensors.pull(worker, W);
            train(worker, 3, 6);
            leave("again", 1);
            assertThat(names("again", 1)).hasSize(4);
            float[] later = Tensors.pull(worker, W);
            Tensors.load(worker, W, "again");
            assertThat(Tensors.pull(worker, W)).isEqualTo(saved).isNotEqualTo(later);
            train(worker, 3, 6);
            Tensors.save(worker, W, "again");
            assertThat(step("again", 0)).doesNotExist();
            assertThat(names("again", 1)).hasSize(5);
            Tensors.load(worker, W, "again");
            assertThat(Tensors.pull(worker, W)).isEqualTo(later);
        }
    }

    /** Leaves what a save leaves whose server was lost before it wrote the manifest. */
    private void leave(String checkpoint, long step) throws IOException {
        Path left = Files.createDirectories(step(checkpoint, step));
        for (String file : List.of("-0-0.pack", "-0.index", "-1-0.pack", "-1.index")) {
            Files.writeString(left.resolve("000000000000004d" + file), "left");
        }
    }

    private List<String> names(String checkpoint, long step) throws IOException {
        try (Stream<Path> files = Files.list(step(checkpoint, step))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"of images", "of the manifest"})
    void aSaveThatCannotWriteLeavesWhatWasThereAndNothingElse(String file) throws IOException {
        AtomicBoolean isFull = new AtomicBoolean(true);
        String last = file.equals("of images") ? "-1-0.pack" : "/model";
        try (PsCluster cluster = cluster(2, name -> {
            if (isFull.get() && name.endsWith(last)) {
                throw new IOException("No space left on device");
            }
        })) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.adam(0.01)).slices(3));
            assertThatThrownBy(() -> Tensors.save(worker, W, "full"))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE))
                    .hasMessageContaining("No space left on device");
            assertThat(step("full", 0)).doesNotExist();
            train(worker, 1, 3);
            float[] saved = Tensors.pull(worker, W);
            isFull.set(false);
            Tensors.save(worker, W, "full");
            List<String> good = names("full", 0);
            isFull.set(true);
            train(worker, 3, 5);
            assertThatThrownBy(() -> Tensors.save(worker, W, "full")).isInstanceOf(PsException.class);
            assertThat(names("full", 0)).isEqualTo(good).contains("model");
            assertThat(step("full", 1)).doesNotExist();
            Tensors.load(worker, W, "full");
            assertThat(Tensors.pull(worker, W)).isEqualTo(saved);
        }
    }

    @Test
    void whatADeadSaveHasLeftIsDeletedBeforeTheNextIsWritten() throws IOException {
        List<String> before = new CopyOnWriteArrayList<>();
        try (PsCluster cluster = cluster(2, name -> {
            if (name.startsWith("dead/w.tensor/step-000000000001/")) {
                assertThat(step("dead", 1).resolve("000000000000004d-0-0.pack")).doesNotExist();
                before.addAll(namesOf("dead", 0));
            }
        })) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.adam(0.01)));
            Tensors.save(worker, W, "dead");
            List<String> good = names("dead", 0);
            leave("dead", 1);
            Tensors.save(worker, W, "dead");
            assertThat(before).containsAll(good);
            assertThat(step("dead", 0)).doesNotExist();
            assertThat(names("dead", 1)).hasSize(good.size());
        }
    }

    private List<String> namesOf(String checkpoint, long step) {
        try {
            return names(checkpoint, step);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A damaged step stays until the next one is complete. */
    @Test
    void aSaveFollowsADamagedOne() throws IOException {
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec(Optimizers.sgd(0.1)));
            Tensors.save(worker, W, "again");
            Files.writeString(step("again", 0).resolve("model"), "damaged");
            leave("again", 1);
            assertThat(step("again", 0)).exists();
            Tensors.save(worker, W, "again");
            Tensors.load(worker, W, "again");
            assertThat(files("again").tensors(1)).containsExactly("w");
        }
    }

    @Test
    void anotherJobIsRefusedWhileTheFirstRuns() {
        try (PsCluster cluster = cluster(1);
                PsCluster other = cluster(1)) {
            Tensors.init(cluster.worker(), spec(Optimizers.sgd(0.1)));
            Tensors.init(other.worker(), spec(Optimizers.sgd(0.1)));
            Tensors.save(cluster.worker(), W, "one");
            assertThatThrownBy(() -> Tensors.save(other.worker(), W, "one"))
                    .hasMessageStartingWith("CONFIGURATION: checkpoints of model \"one\" in " + folder.resolve("one")
                            + ": another job saves there");
            Tensors.load(other.worker(), W, "one");
            Tensors.save(other.worker(), W, "two");
        }
    }

    /** Each server has a directory of its own. */
    @Test
    void aSaveToADirectoryThatTheServersDoNotShareIsRefused() throws IOException {
        ModelSteps steps = ModelSteps.of(new FolderStore(folder), "x");
        SavedIndex index = new SavedIndex("5-0.index", 100, 0);
        SavedTensor tensor = new SavedTensor("w", ROWS, WIDTH, 5);
        assertThatThrownBy(() -> steps.look().write(new ModelManifest(0, List.of(tensor), List.of(index), List.of())))
                .hasMessageContaining("5-0.index: not seen by the server that writes the manifest (expected: one"
                        + " directory for checkpoints that all servers share)");
    }
}
