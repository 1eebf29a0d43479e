package io.psf.builtin.checkpoint;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manifest with a right checksum and wrong lines. */
final class TensorManifestTest {
    @TempDir
    private Path folder;

    @Test
    void aChainWithoutAFileOfThisSaveIsRefused() throws IOException {
        String lines = """
                psf-checkpoint 2
                shape 10 3
                save 00000000000000ab
                base 00000000000000aa 0 10 120 00000000
                """;
        Path file = Files.writeString(folder.resolve("manifest"), SealedText.seal(lines));
        assertThatThrownBy(() -> TensorManifest.read(new Folder(folder), "c", TensorId.of("t")))
                .isInstanceOf(PsException.class)
                .hasMessage("STORAGE: " + file
                        + ": damaged, its last line names a file of an earlier save (expected: as it" + " was saved)");
    }
}
