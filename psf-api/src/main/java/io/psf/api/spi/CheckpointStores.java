package io.psf.api.spi;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the place of checkpoints that a text names. */
public final class CheckpointStores {
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*");

    private static final Pattern PART = Pattern.compile("[A-Za-z0-9%._-]{1,255}");

    private CheckpointStores() {}

    /**
     * Checks the name of a file in a store.
     *
     * @throws FileSystemException if it is no name
     */
    public static void requireName(CheckpointStore store, String name) throws FileSystemException {
        for (String part : name.split("/", -1)) {
            if (!isPart(part)) {
                throw new FileSystemException(
                        store.place(name),
                        null,
                        "no name of a file here (expected: parts of A-Z a-z 0-9 % . _ -, with / between them)");
            }
        }
    }

    /** Returns true if a text may be a part of a name: of a folder or a file. */
    public static boolean isPart(String text) {
        return PART.matcher(text).matches() && !text.equals(".") && !text.equals("..");
    }

    /**
     * Opens a place.
     *
     * @param place a directory; or a place whose scheme a {@link CheckpointStoreProvider} on the class path has, such as
     *     {@code hdfs://host/models}
     * @throws IllegalArgumentException if it is no place, or nothing on the class path has its scheme
     * @throws IOException if it cannot be opened
     */
    public static CheckpointStore open(String place) throws IOException {
        Matcher scheme = SCHEME.matcher(place);
        if (!scheme.matches()) {
            return new FolderStore(Path.of(place));
        }
        ClassLoader classPath = ServiceClassPath.of(CheckpointStoreProvider.class);
        for (CheckpointStoreProvider each : ServiceLoader.load(CheckpointStoreProvider.class, classPath)) {
            if (each.has(scheme.group(1))) {
                return each.open(URI.create(place));
            }
        }
        throw new IllegalArgumentException(
                "place of checkpoints: " + place + " (expected: a directory, or a scheme that"
                        + " the class path has a store for; psf-hadoop has those of Hadoop's file systems)");
    }
}
