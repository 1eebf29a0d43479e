package io.psf.processor.schema;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The committed schema file of a function: a comment with the source that declares the function, followed by one line
 * per version.
 *
 * @param path the file
 * @param source the source, relative to the file's folder; null if no compiler has provided it
 * @param versions the schema's text, one for each version from 1 on; empty if there is no file
 */
record SchemaFile(Path path, @Nullable String source, List<String> versions) {
    private static final String SUFFIX = ".schema";
    private static final String COMMENT = "# ";

    SchemaFile {
        versions = List.copyOf(versions);
    }

    /** Returns the file of a function, which need not exist. */
    static SchemaFile of(Path folder, String function) throws IOException {
        return read(folder.resolve(function + SUFFIX));
    }

    static List<SchemaFile> in(Path folder) throws IOException {
        List<SchemaFile> files = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
                for (Path path : paths) {
                    files.add(read(path));
                }
            }
        }
        return files;
    }

    private static SchemaFile read(Path path) throws IOException {
        List<String> lines = Files.exists(path) ? Files.readAllLines(path) : List.of();
        String source = lines.stream()
                .filter(line -> line.startsWith(COMMENT))
                .map(line -> line.substring(COMMENT.length()).strip())
                .findFirst()
                .orElse(null);
        return new SchemaFile(
                path,
                source,
                lines.stream().filter(line -> !line.startsWith(COMMENT)).toList());
    }

    String name() {
        return String.valueOf(path.getFileName());
    }

    String function() {
        return name().substring(0, name().length() - SUFFIX.length());
    }

    /**
     * Returns the schema's texts with the function's name replaced by {@code name}, for a function that was renamed
     * after the file was committed.
     */
    List<String> versionsOf(String name) {
        return versions.stream()
                .map(text -> text.startsWith(function() + " ")
                        ? name + text.substring(function().length())
                        : text)
                .toList();
    }

    /** Returns the path at which the source is, or was; null if not known. */
    @Nullable
    Path sourcePath() {
        return source == null
                ? null
                : path.resolveSibling(source).toAbsolutePath().normalize();
    }

    /** Returns a copy of this file with a source that is now known. */
    SchemaFile declaredIn(@Nullable Path found) {
        Path folder = path.toAbsolutePath().normalize().getParent();
        if (found == null || folder == null || !folder.getRoot().equals(found.getRoot())) {
            return this;
        }
        return new SchemaFile(path, folder.relativize(found).toString().replace('\\', '/'), versions);
    }

    SchemaFile with(List<String> now) {
        return new SchemaFile(path, source, now);
    }

    void write() throws IOException {
        List<String> lines = new ArrayList<>(versions);
        if (source != null) {
            lines.add(0, COMMENT + source);
        }
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        Files.writeString(path, String.join("\n", lines) + "\n");
    }
}
