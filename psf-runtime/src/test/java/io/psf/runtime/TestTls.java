package io.psf.runtime;

import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** Certificates that the tests of a JVM share, since each takes half a second to make. */
public final class TestTls {
    private static final Path FOLDER = folder();

    /** The authority of the tests. */
    public static final TlsAuthority AUTHORITY = authority("psf-tests");

    /** A node. */
    public static final Tls NODE = issue("node");

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

    /** Makes the files of a node of {@link #AUTHORITY}. */
    public static Tls issue(String name) {
        try {
            return of(AUTHORITY.issue(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns files as the configuration of a node has them. */
    public static Tls of(TlsAuthority.Issued files) {
        return new Tls(files.certificate(), files.key(), files.authority());
    }
}
