package io.psf.processor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function's schema as it is committed: the source that declares the function in a comment, and one line a version.
 *
 * @param path the file
 * @param source the source, relative to the file's folder; null if no compiler told it
 * @param versions the schema's text, one for each version from 1 on; empty if there is no file
 */
record SchemaFile(Path path, @Nullable String source, List<String> versions) {
    private static final String SUFFIX = ".schema";
    private static final String COMMENT = "# ";

    SchemaFile {
        versions = List.copyOf(versions);
    }

    /** The file of a function, which need not be there. */
    static SchemaFile of(Path folder, String function) throws IOException {
        return read(folder.resolve(function + SUFFIX));
    }

    /** All files of a folder. */
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

    /** The schema's text as it is of a function that has been renamed since. */
    List<String> versionsOf(String name) {
        return versions.stream()
                .map(text -> text.startsWith(function() + " ")
                        ? name + text.substring(function().length())
                        : text)
                .toList();
    }

    /** Where the source is, or was. */
    @Nullable
    Path sourcePath() {
        return source == null
                ? null
                : path.resolveSibling(source).toAbsolutePath().normalize();
    }

    /** The same file with a source that is known now. */
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
