package io.psf.runtime.internal.server.handler;

import io.psf.api.spi.HandlerProvider;
import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The jars and folders that a node searches for handlers, as messages name them. */
public final class ClassPath {
    static final String SERVICES = "META-INF/services/" + HandlerProvider.class.getName();
    private static final int NAMED = 10;

    private ClassPath() {}

    /** Returns the jar or folder that a class was loaded from; null if it was loaded from neither. */
    public static @Nullable Path origin(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        return location == null ? null : path(location);
    }

    /** Returns a jar's name, or a folder's name with a slash. */
    public static String name(Path entry) {
        Path name = entry.toAbsolutePath().normalize().getFileName();
        return Files.isDirectory(entry) ? (name == null ? "" : name) + "/" : String.valueOf(name);
    }

    /** Returns a class name and its origin, for messages. */
    static String describe(Class<?> type) {
        Path origin = origin(type);
        return type.getName() + (origin == null ? "" : " in " + name(origin));
    }

    /**
     * Returns what a class loader searches, as {@code app.jar, classes/ and 3 more}. Entries with handlers come first. Other
     * entries in the directory of psf's own jar are probably libraries of psf, and are counted alone.
     */
    static String searched(ClassLoader loader) {
        Path own = origin(ClassPath.class);
        Path libraries = own == null || Files.isDirectory(own) ? null : own.getParent();
        Set<Path> named = new LinkedHashSet<>();
        services(loader).forEach(file -> add(named, container(file)));
        Set<Path> all = new LinkedHashSet<>(named);
        all.addAll(entries(loader));
        for (Path entry : all) {
            if (!entry.equals(own) && (libraries == null || !libraries.equals(entry.getParent()))) {
                named.add(entry);
            }
        }
        List<String> names = named.stream().limit(NAMED).map(ClassPath::name).toList();
        int more = all.size() - names.size();
        return names.isEmpty()
                ? more == 0 ? "no jar or folder" : "the jars of psf"
                : String.join(", ", names) + (more == 0 ? "" : " and " + more + " more");
    }

    /** Returns the files that name the providers of handlers. */
    static List<URL> services(ClassLoader loader) {
        try {
            return Collections.list(loader.getResources(SERVICES));
        } catch (IOException e) {
            return List.of(); // the service loader reports the better message
        }
    }

    /** Returns the jar or folder that contains a service file. */
    static @Nullable Path container(URL service) {
        try {
            if (service.openConnection() instanceof JarURLConnection jar) {
                return path(jar.getJarFileURL());
            }
        } catch (IOException e) {
            return null;
        }
        Path file = path(service);
        for (int up = 0; up < 3 && file != null; up++) {
            file = file.getParent();
        }
        return file;
    }

    private static Set<Path> entries(ClassLoader loader) {
        Set<Path> entries = new LinkedHashSet<>();
        List<ClassLoader> chain = new ArrayList<>();
        for (ClassLoader at = loader; at != null; at = at.getParent()) {
            chain.add(0, at);
        }
        for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
            try {
                add(entries, Path.of(entry));
            } catch (InvalidPathException ignored) {
                // not a path, so not searchable
            }
        }
        for (ClassLoader each : chain) {
            if (each instanceof URLClassLoader urls) {
                for (URL url : urls.getURLs()) {
                    add(entries, path(url));
                }
            }
        }
        return entries;
    }

    private static void add(Set<Path> entries, @Nullable Path entry) {
        if (entry != null && Files.exists(entry)) {
            entries.add(entry.toAbsolutePath().normalize());
        }
    }

    private static @Nullable Path path(URL url) {
        try {
            URI uri = url.toURI();
            return "file".equals(uri.getScheme())
                    ? Path.of(uri).toAbsolutePath().normalize()
                    : null;
        } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return null;
        }
    }
}
