package io.psf.cli;

import io.psf.api.Place;
import io.psf.api.PsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a function, its handler and its test. If the folder has no pom.xml, writes a Maven project around them. */
@Command(
        name = "function",
        description = {
            "Writes an interface, its handler and its test, which compile and pass as they are.",
            "If the folder has no pom.xml, a Maven project is written, too. Nothing is overwritten."
        },
        footer = {"%nExample:", "  psf new function row-norms --package acme"},
        mixinStandardHelpOptions = true)
final class NewFunctionCommand implements Callable<Integer> {
    private static final Pattern NOT_FOR_SOURCES = Pattern.compile("<packaging>\\s*pom\\s*</packaging>");

    @Parameters(
            paramLabel = "NAME",
            description = "for example row-norms, for the function acme.row-norms, which is class RowNorms")
    private String name = "";

    @Option(names = "--package", paramLabel = "PACKAGE", required = true, description = "for example acme")
    private String inPackage = "";

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "the project's folder; default: this one if it has a pom.xml, or else a new one"
                    + " named after the function")
    private @Nullable Path folder;

    @Option(
            names = "--at",
            paramLabel = "PLACE",
            defaultValue = "shard",
            description = "where it runs: shard, server or scheduler; default: ${DEFAULT-VALUE}")
    private String at = "shard";

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        FunctionSources sources = FunctionSources.of(name, inPackage, place());
        Path project = project(sources);
        Path pom = project.resolve("pom.xml");
        boolean isThere = Files.exists(pom);
        String present = isThere ? read(pom) : "";
        if (NOT_FOR_SOURCES.matcher(present).find()) {
            throw failure(
                    "%s: of packaging pom, without sources (expected: --dir of a project with sources, or of a folder that is not there yet, for a new project: --dir %s)"
                            .formatted(
                                    pom,
                                    project.resolve("..")
                                            .resolve(sources.artifact())
                                            .normalize()));
        }
        Map<Path, String> files = new LinkedHashMap<>();
        if (!isThere) {
            files.put(pom, sources.pom());
        }
        sources.sources().forEach((path, text) -> files.put(project.resolve(path), text));
        write(files);
        report(files, project, isThere, isThere ? missing(present) : List.of());
        return 0;
    }

    private Place place() {
        for (Place place : Place.values()) {
            if (place.name().toLowerCase(Locale.ROOT).equals(at)) {
                return place;
            }
        }
        throw failure("--at: %s (expected: shard, server or scheduler)".formatted(at));
    }

    private Path project(FunctionSources sources) {
        if (folder != null) {
            return folder;
        }
        return Files.exists(Path.of("pom.xml")) ? Path.of("") : Path.of(sources.artifact());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw failure("%s: cannot be read: %s (expected: a project's pom.xml)".formatted(file, e));
        }
    }

    /** Writes all files, or none if one exists already. An I/O error may leave some of them written. */
    private static void write(Map<Path, String> files) {
        for (Path file : files.keySet()) {
            if (Files.exists(file)) {
                throw failure("%s: there already (expected: a name that is free; nothing was written)".formatted(file));
            }
        }
        for (Map.Entry<Path, String> file : files.entrySet()) {
            Path path = file.getKey();
            try {
                Path parent = path.toAbsolutePath().getParent();
                if (parent != null) {
                    Files.createDirectories(parent);
                }
                Files.writeString(path, file.getValue(), StandardOpenOption.CREATE_NEW);
            } catch (IOException e) {
                throw failure(
                        "%s: cannot be written: %s (expected: a folder that you may write in)".formatted(path, e));
            }
        }
    }

    /** Returns the artifacts that the sources need and the pom.xml does not mention. */
    private static List<String> missing(String pom) {
        List<String> missing = new ArrayList<>();
        for (String artifact : List.of("psf-builtin", "psf-processor", "junit-jupiter")) {
            if (!pom.contains(artifact)) {
                missing.add(artifact);
            }
        }
        return missing;
    }

    private void report(Map<Path, String> files, Path project, boolean isThere, List<String> missing) {
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        files.keySet().forEach(file -> out.println("wrote " + file));
        if (!missing.isEmpty()) {
            out.println("The pom.xml does not mention " + String.join(", ", missing)
                    + ": the sources need psf-builtin and junit-jupiter as dependencies, and psf-processor among the"
                    + " compiler's annotationProcessorPaths.");
        }
        if (!isThere) {
            out.println("It needs psf in your local Maven repository: mvn install -DskipTests"
                    + " -pl psf-builtin,psf-processor -am in psf's checkout, once.");
        }
        out.println("Next: " + (project.toString().isEmpty() ? "" : "cd " + project + " && ") + "mvn test");
        out.flush();
    }

    private static PsException failure(String detail) {
        return new PsException(PsException.Code.CONFIGURATION, detail);
    }
}
