package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commit of a step, and the files that it and the deletion of others leave. */
@Timeout(60)
class ModelStepsTest {
    @TempDir
    private Path root;

    private ModelSteps steps;

    @BeforeEach
    void create() {
        steps = ModelSteps.of(new FolderStore(root), "model");
    }

    private Path path(String name) {
        return root.resolve("model").resolve(name);
    }

    private Path file(String name) throws IOException {
        Path file = path(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "1234");
    }

    private static String of(long step, String name) {
        return CheckpointNames.step(step) + "/" + name;
    }

    /** Writes an index that names files. Returns the manifest of the step. */
    private ModelManifest manifest(long step, String... files) throws IOException {
        Map<String, Long> lengths = Arrays.stream(files).collect(Collectors.toMap(name -> name, name -> 4L));
        String text = new ServerIndex(1, lengths, List.of()).text();
        Files.writeString(file(of(step, "1-0.index")), text);
        SavedIndex index = new SavedIndex(
                of(step, "1-0.index"), text.getBytes(StandardCharsets.UTF_8).length, SealedText.checksum(text));
        return new ModelManifest(step, List.of(), List.of(index), List.of());
    }

    private void commit(long step, String... files) throws IOException {
        steps.look().write(manifest(step, files));
    }

    @Test
    void aCommitDeletesTheFilesThatNoIndexNames() throws IOException {
        Path named = file(of(1, "1-0-0.pack"));
        List<Path> strays = List.of(file(of(1, "0-0-0.pack")), file(of(1, "0-1.index")), file(of(1, "1-0.index.part")));
        Path other = file(of(1, "notes.txt"));
        commit(1, of(1, "1-0-0.pack"));
        assertThat(steps.readIfComplete(1)).isPresent();
        assertThat(named).exists();
        assertThat(strays).allSatisfy(path -> assertThat(path).doesNotExist());
        assertThat(other).exists();
    }

    /** The second step builds on a file of the first one, and the third one does not. */
    @Test
    void aFileIsDeletedWithTheLastStepThatNeedsIt() throws IOException {
        Path whole = file(of(1, "1-0-0.pack"));
        Path alone = file(of(1, "1-1-0.pack"));
        commit(1, of(1, "1-0-0.pack"), of(1, "1-1-0.pack"));
        file(of(2, "2-0-0.pack"));
        commit(2, of(2, "2-0-0.pack"), of(1, "1-0-0.pack"));
        assertThat(steps.look().prune(1, 2, false, SkippedSteps.NONE)).isEmpty();
        assertThat(steps.steps()).containsExactly(2L);
        assertThat(whole).exists();
        assertThat(alone).doesNotExist();
        assertThat(steps.readIfComplete(2)).isPresent();

        file(of(1, "3-0-0.pack"));
        steps.look().discard(1); // before that step is saved again
        assertThat(path(of(1, "3-0-0.pack"))).doesNotExist();
        commit(1);
        assertThat(steps.readIfComplete(2)).isPresent();

        file(of(3, "3-0-0.pack"));
        commit(3, of(3, "3-0-0.pack"));
        assertThat(steps.look().prune(1, 3, false, SkippedSteps.NONE)).isEmpty();
        assertThat(path(CheckpointNames.step(1))).doesNotExist();
        assertThat(path(CheckpointNames.step(2))).doesNotExist();
        assertThat(steps.readIfComplete(3)).isPresent();
    }

    @Test
    void theLastStepTakesTheFilesOfEarlierOnesWithIt() throws IOException {
        file(of(1, "1-0-0.pack"));
        commit(1, of(1, "1-0-0.pack"));
        file(of(2, "2-0-0.pack"));
        commit(2, of(2, "2-0-0.pack"), of(1, "1-0-0.pack"));
        assertThat(steps.look().prune(1, 2, false, SkippedSteps.NONE)).isEmpty();
        assertThat(path(of(1, "1-0-0.pack"))).exists();
        steps.look().discard(2);
        assertThat(root.resolve("model")).isEmptyDirectory();
    }

    /** Is told the name of a file that is to be read. */
    private interface Reading {
        void of(String name) throws IOException;
    }

    private ModelSteps watched(Reading reading) {
        return ModelSteps.of(
                (CheckpointStore) Proxy.newProxyInstance(
                        CheckpointStore.class.getClassLoader(),
                        new Class<?>[] {CheckpointStore.class},
                        (self, method, arguments) -> {
                            if (method.getName().equals("read")) {
                                reading.of((String) arguments[0]);
                            }
                            return method.invoke(new FolderStore(root), arguments);
                        }),
                "model");
    }

    /** Of a model with many tensors, they have megabytes. */
    @Test
    void aCommitReadsEachManifestAndIndexOnce() throws IOException {
        for (long step = 1; step <= 4; step++) {
            file(of(step, "1-0-0.pack"));
            commit(step, of(step, "1-0-0.pack"));
        }
        List<String> read = new ArrayList<>();
        SeenSteps seen = watched(read::add).look();
        assertThat(seen.newest(step -> step < 4).orElseThrow().step()).isEqualTo(3);
        file(of(5, "1-0-0.pack"));
        seen.write(manifest(5, of(5, "1-0-0.pack")));
        assertThat(seen.prune(3, 5, true, SkippedSteps.NONE)).isEmpty();
        assertThat(steps.steps()).containsExactly(5L, 4L, 3L);
        assertThat(read).doesNotHaveDuplicates().hasSize(9); // the manifest of step 5 is known
        seen = watched(read::add).look();
        read.clear();
        for (long step = 5; step >= 3; step--) {
            seen.discard(step);
        }
        assertThat(read).doesNotHaveDuplicates().hasSize(6);
        assertThat(root.resolve("model")).isEmptyDirectory();
    }

    @Test
    void aManifestThatCannotBeReadMayNameAnyFile() throws IOException {
        Path whole = file(of(1, "1-0-0.pack"));
        commit(1, of(1, "1-0-0.pack"));
        file(of(2, "2-0-0.pack"));
        commit(2, of(2, "2-0-0.pack"), of(1, "1-0-0.pack"));
        ModelSteps failing = watched(name -> {
            throw new IOException("Input/output error");
        });
        assertThatThrownBy(() -> failing.look().discard(1)).hasMessageContaining("Input/output error");
        assertThat(whole).exists();
        assertThat(steps.readIfComplete(2)).isPresent();
    }

    @Test
    void whatIsNoFileNamesNone() throws IOException {
        Path whole = file(of(1, "1-0-0.pack"));
        commit(1, of(1, "1-0-0.pack"));
        Files.createDirectories(path(of(2, "model")));
        Files.createDirectories(path(CheckpointNames.step(3)));
        Files.createSymbolicLink(path(of(3, "model")), path(of(1, "model")));
        steps.look().discard(1);
        assertThat(whole).doesNotExist();
        steps.look().discard(3);
        assertThat(path(CheckpointNames.step(3))).doesNotExist();
    }

    /** To open a FIFO waits for a writer, and a link may lead to another user's file, or to one without an end. */
    @Test
    void whatIsNoFileIsDamageThatIsNotRead() throws Exception {
        Path pack = file(of(1, "1-0-0.pack"));
        commit(1, of(1, "1-0-0.pack"));
        Path manifest = path(of(1, "model"));
        Path elsewhere = Files.move(manifest, root.resolve("elsewhere"));
        Files.createSymbolicLink(manifest, elsewhere);
        assertThatThrownBy(() -> steps.read(1)).hasMessageContaining("model: a symbolic link (expected: a file)");

        Files.move(elsewhere, manifest, StandardCopyOption.REPLACE_EXISTING);
        Path other = Files.move(pack, root.resolve("other"));
        Files.createSymbolicLink(pack, other);
        assertThatThrownBy(() -> steps.read(1)).hasMessageContaining("1-0-0.pack: a symbolic link");

        Files.delete(manifest);
        assumeTrue(new ProcessBuilder("mkfifo", manifest.toString()).start().waitFor() == 0);
        CompletableFuture<Optional<ModelImages>> read = CompletableFuture.supplyAsync(() -> steps.readIfComplete(1));
        assertThat(read.get()).isEmpty();
        assertThatThrownBy(() -> steps.read(1)).hasMessageContaining("model: a FIFO or a device (expected: a file)");
    }
}
