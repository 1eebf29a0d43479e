package io.psf.simulation;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The classes of psf on the class path, which are all initialized before the first run: an initializer that reads the
 * clock would make the first run of a process another one.
 */
final class ClassPath {
    private static final String SUFFIX = ".class";

    private ClassPath() {}

    static void initialize() {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            names(Path.of(entry)).stream()
                    .filter(each -> each.startsWith("io/psf/") && each.endsWith(SUFFIX))
                    .sorted()
                    .forEach(ClassPath::initialize);
        }
    }

    private static List<String> names(Path entry) {
        try {
            if (Files.isDirectory(entry)) {
                try (Stream<Path> files = Files.walk(entry)) {
                    return files.map(file -> entry.relativize(file).toString().replace(File.separatorChar, '/'))
                            .toList();
                }
            } else if (Files.exists(entry)) {
                try (JarFile jar = new JarFile(entry.toFile())) {
                    return jar.stream().map(each -> each.getName()).toList();
                }
            }
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void initialize(String file) {
        String name = file.substring(0, file.length() - SUFFIX.length()).replace('/', '.');
        try {
            Class.forName(name, true, ClassPath.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            // It needs what is not on the class path, and is used by no run.
        }
    }
}
