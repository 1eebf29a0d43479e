package io.psf.cli;

import io.psf.api.PsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Writes the sources of a function into a project, and the project around them if there is none. */
final class NewFiles {
    private static final Pattern NOT_FOR_SOURCES = Pattern.compile("<packaging>\\s*pom\\s*</packaging>");

    private NewFiles() {}

    /**
     * Writes a function into the project of a folder. Overwrites nothing.
     *
     * @param folder the project's folder; empty for the working folder
     * @param out where the written files and the next command are listed
     * @throws PsException with {@code CONFIGURATION} if a file is there already or cannot be written
     */
    static void add(FunctionSources function, Path folder, PrintWriter out) {
        Path pom = folder.resolve("pom.xml");
        if (!Files.exists(pom)) {
            create(ProjectSources.of(folder, function), folder, out);
            return;
        }
        String present = read(pom);
        if (NOT_FOR_SOURCES.matcher(present).find()) {
            throw failure(
                    "%s: packaging pom, without sources (expected: --dir of a project with sources; of a new one: --dir %s)"
                            .formatted(
                                    pom,
                                    folder.resolve("..")
                                            .resolve(function.artifact())
                                            .normalize()));
        }
        write(function.sources(), folder, out);
        List<String> missing = missing(present);
        if (!missing.isEmpty()) {
            out.println("The pom.xml does not mention " + String.join(", ", missing)
                    + ": the sources need psf-builtin, psf-testkit and junit-jupiter as dependencies, and psf-processor"
                    + " among the compiler's annotationProcessorPaths.");
        }
        next(folder, out);
    }

    /** Writes a project into a folder that has none. */
    static void create(ProjectSources project, Path folder, PrintWriter out) {
        write(project.files(folder), folder, out);
        if (ProjectSources.checkout() == null && !Template.isOfRelease()) {
            out.println("It needs psf in your local Maven repository: mvn install -Dmaven.test.skip"
                    + " -Dmaven.javadoc.skip -pl psf-builtin,psf-processor,psf-testkit -am in psf's checkout, once.");
        }
        next(folder, out);
    }

    private static void next(Path folder, PrintWriter out) {
        out.println("Next: " + (folder.toString().isEmpty() ? "" : "cd " + folder + " && ") + "mvn test");
        out.flush();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw failure("%s: cannot be read: %s (expected: a project's pom.xml)".formatted(file, e));
        }
    }

    /** Writes all files, or none if one exists already. An I/O error may leave some of them written. */
    private static void write(Map<String, String> files, Path folder, PrintWriter out) {
        for (String name : files.keySet()) {
            Path file = folder.resolve(name);
            if (Files.exists(file)) {
                throw failure(
                        "%s: exists already (expected: a name that is free; nothing was written)".formatted(file));
            }
        }
        files.forEach((name, text) -> {
            Path file = folder.resolve(name);
            try {
                Path parent = file.toAbsolutePath().getParent();
                if (parent != null) {
                    Files.createDirectories(parent);
                }
                Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
            } catch (IOException e) {
                throw failure(
                        "%s: cannot be written: %s (expected: a folder that you may write in)".formatted(file, e));
            }
            out.println("wrote " + file);
        });
    }

    /** Returns the artifacts that the sources need and the pom.xml does not mention. */
    private static List<String> missing(String pom) {
        List<String> missing = new ArrayList<>();
        for (String artifact : List.of("psf-builtin", "psf-processor", "psf-testkit", "junit-jupiter")) {
            if (!pom.contains(artifact)) {
                missing.add(artifact);
            }
        }
        return missing;
    }

    private static PsException failure(String detail) {
        return new PsException(PsException.Code.CONFIGURATION, detail);
    }
}
