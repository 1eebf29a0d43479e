package io.psf.gpu.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The report in a folder: {@code report.json} and {@code report.txt}. Its parts are written by processes of their own,
 * one after the other, and are in the folder {@code parts} below it. Both files are complete after each change of a
 * part.
 */
final class Report {
    private static final List<String> PARTS =
            List.of("machine", "tests", "demo", "benchmarks", "sanitizer", "nvidia-smi");

    private final Path folder;
    private final Path parts;

    Report(Path folder) {
        this.folder = folder;
        this.parts = folder.resolve("parts");
    }

    /**
     * Writes a part, and both files anew.
     *
     * @param json what {@link Json} writes
     * @param text the part's lines
     */
    void put(String part, Object json, String text) {
        try {
            Files.createDirectories(parts);
            Files.writeString(parts.resolve(part + ".json"), Json.of(json));
            Files.writeString(parts.resolve(part + ".txt"), text.strip() + "\n");
            write();
        } catch (IOException e) {
            throw new UncheckedIOException("report in " + folder, e);
        }
    }

    private void write() throws IOException {
        StringBuilder json = new StringBuilder("{");
        StringBuilder text = new StringBuilder();
        for (String part : PARTS) {
            json.append(json.length() == 1 ? "\n  \"" : ",\n  \"")
                    .append(part)
                    .append("\": ")
                    .append(content(part + ".json", "null"));
            text.append("== ").append(part).append('\n');
            text.append(content(part + ".txt", "not run\n")).append('\n');
        }
        Files.writeString(folder.resolve("report.json"), json.append("\n}\n"));
        Files.writeString(folder.resolve("report.txt"), text);
    }

    private String content(String file, String otherwise) throws IOException {
        Path path = parts.resolve(file);
        return Files.exists(path) ? Files.readString(path) : otherwise;
    }
}
