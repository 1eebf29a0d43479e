package io.psf.cli;

import io.psf.api.PsException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** Parses the value of {@code --classpath}: jars, folders, and folders of jars with {@code /*}. */
final class ClassPathOption {
    private ClassPathOption() {}

    /**
     * Returns the entries, as given.
     *
     * @throws PsException with {@code CONFIGURATION} if an entry does not exist, or is neither a jar nor a folder
     */
    static List<String> entries(String text) {
        List<String> entries = new ArrayList<>();
        for (String entry : text.split(File.pathSeparator, -1)) {
            if (entry.isEmpty()) {
                continue;
            }
            check(entry);
            entries.add(entry);
        }
        return entries;
    }

    /** A JVM passes over an entry that is no jar, and the handlers in it would be missing without a word. */
    private static void check(String entry) {
        boolean isWildcard = isWildcard(entry);
        Path path = isWildcard ? folder(entry) : Path.of(entry);
        if (!Files.exists(path)) {
            throw failure(entry, "no such file");
        }
        if (Files.isDirectory(path)) {
            return;
        }
        if (isWildcard) {
            throw failure(entry, "not a folder");
        }
        try (ZipFile jar = new ZipFile(path.toFile())) {
            var unused = jar.size();
        } catch (ZipException e) {
            throw failure(entry, "not a jar");
        } catch (IOException e) {
            throw failure(entry, "cannot be read: " + e.getMessage());
        }
    }

    private static PsException failure(String entry, String found) {
        return new PsException(
                PsException.Code.CONFIGURATION,
                "--classpath: %s: %s (expected: jars and folders)".formatted(entry, found));
    }

    /**
     * Returns a class loader of the entries, with this JVM's class loader as parent, like the loader of a node started
     * with them.
     */
    static URLClassLoader loader(String text) {
        List<URL> urls = new ArrayList<>();
        try {
            for (String entry : entries(text)) {
                for (Path path : isWildcard(entry) ? jars(folder(entry)) : List.of(Path.of(entry))) {
                    urls.add(path.toUri().toURL());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassPathOption.class.getClassLoader());
    }

    private static boolean isWildcard(String entry) {
        return entry.equals("*") || entry.endsWith("/*") || entry.endsWith(File.separator + "*");
    }

    private static Path folder(String wildcard) {
        return Path.of(wildcard.substring(0, wildcard.length() - 1));
    }

    private static List<Path> jars(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }
}
