package io.psf.builtin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commit of a step, and the images in its folder that it deletes. */
@Timeout(60)
class ModelStepsTest {
    @TempDir
    private Path root;

    private Path file(ModelSteps steps, String name) throws IOException {
        Path file = steps.of(1).file(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "1234");
    }

    /** Writes an index that names a file of a tensor and a pack, and the manifest of the step. */
    private void commit(ModelSteps steps) throws IOException {
        String text = new ServerIndex(1, Map.of("t.tensor/1-0-2.shard", 4L, "1-0-0.pack", 4L), List.of()).text();
        Files.writeString(steps.of(1).file("1-0.index"), text);
        SavedIndex index =
                new SavedIndex("1-0.index", text.getBytes(StandardCharsets.UTF_8).length, SealedText.checksum(text));
        steps.write(new ModelManifest(1, List.of(), List.of(index), List.of()));
    }

    @Test
    void aCommitDeletesTheImagesThatNoIndexNames() throws IOException {
        ModelSteps steps = new ModelSteps(root, "model");
        List<Path> named = List.of(file(steps, "t.tensor/1-0-2.shard"), file(steps, "1-0-0.pack"));
        List<Path> strays = List.of(
                file(steps, "t.tensor/0-0-2.shard"),
                file(steps, "t.tensor/0-2-4.shard.part"),
                file(steps, "gone.tensor/0-0-2.shard"),
                file(steps, "0-0-0.pack"));
        Path other = file(steps, "other/0-0-2.shard");
        commit(steps);
        assertThat(steps.readIfComplete(1)).isPresent();
        assertThat(named).allSatisfy(path -> assertThat(path).exists());
        assertThat(strays).allSatisfy(path -> assertThat(path).doesNotExist());
        assertThat(other).exists();
    }

    /** To open a FIFO waits for a writer, and a link may lead to another user's file, or to one without an end. */
    @Test
    void whatIsNoFileIsDamageThatIsNotRead() throws Exception {
        ModelSteps steps = new ModelSteps(root, "model");
        file(steps, "t.tensor/1-0-2.shard");
        Path pack = file(steps, "1-0-0.pack");
        commit(steps);
        Path manifest = steps.of(1).file("model");
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

    @Test
    void aStepIsCompleteThoughAFileCannotBeDeleted() throws IOException {
        ModelSteps steps = new ModelSteps(root, "model");
        file(steps, "t.tensor/1-0-2.shard");
        file(steps, "1-0-0.pack");
        Path kept = file(steps, "0-0-0.pack/a-file-in-a-folder-that-has-the-name-of-an-image");
        Path stray = file(steps, "t.tensor/0-0-2.shard");
        commit(steps);
        assertThat(steps.readIfComplete(1)).isPresent();
        assertThat(kept).exists();
        assertThat(stray).doesNotExist();
    }
}
