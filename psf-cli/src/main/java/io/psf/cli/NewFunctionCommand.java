package io.psf.cli;

import io.psf.api.Place;
import io.psf.api.PsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
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
            "If the folder has no pom.xml, a Maven project is written, too, with the folder's name. Nothing is overwritten."
        },
        footer = {"%nExample:", "  psf new function row-norms --package acme"},
        mixinStandardHelpOptions = true)
final class NewFunctionCommand implements Callable<Integer> {
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
        NewFiles.add(
                sources,
                project(sources),
                Objects.requireNonNull(spec, "spec").commandLine().getOut());
        return 0;
    }

    private Place place() {
        for (Place place : Place.values()) {
            if (place.name().toLowerCase(Locale.ROOT).equals(at)) {
                return place;
            }
        }
        throw new PsException(
                PsException.Code.CONFIGURATION, "--at: %s (expected: shard, server or scheduler)".formatted(at));
    }

    private Path project(FunctionSources sources) {
        if (folder != null) {
            return folder;
        }
        return Files.exists(Path.of("pom.xml")) ? Path.of("") : Path.of(sources.artifact());
    }
}
