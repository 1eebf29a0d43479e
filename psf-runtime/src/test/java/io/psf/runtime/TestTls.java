package io.psf.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** Certificates that the tests of a JVM share, since each takes seconds to make. */
public final class TestTls {
    private static final Path FOLDER = folder();

    /** The authority of the tests. */
    public static final TlsAuthority AUTHORITY = authority("psf-tests");

    /** A node. */
    public static final Tls NODE = issue(AUTHORITY, "node");

    private TestTls() {}

    private static Path folder() {
        try {
            Path made = Files.createTempDirectory("psf-tls");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes an authority. */
    public static TlsAuthority authority(String name) {
        try {
            return new TlsAuthority(FOLDER, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Tls issue(TlsAuthority authority, String name) {
        try {
            return authority.issue(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
