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
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a new project; {@link NewFunctionCommand} writes a function into an existing project. */
@Command(
        name = "new",
        description = {
            "Writes a Maven project of that name, to start from: a function with handler and test, and a program"
                    + " that calls"
                    + " it. They compile and run as they are.",
            "new function writes a function into a project that is there."
        },
        footer = {"%nExamples:", "  psf new clicks", "  psf new function row-norms --package acme"},
        subcommands = NewFunctionCommand.class,
        mixinStandardHelpOptions = true)
final class NewCommand implements Callable<Integer> {
    /** The function of a new project. */
    private static final String FUNCTION = "axpy";

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            description = "the project, its artifact and its title: for example clicks")
    private @Nullable String name;

    @Option(
            names = "--package",
            paramLabel = "PACKAGE",
            description = "default: the name, in lower case and without hyphens")
    private @Nullable String inPackage;

    @Option(names = "--dir", paramLabel = "DIR", description = "the project's folder; default: one of its name")
    private @Nullable Path folder;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec, "spec");
        if (name == null) {
            throw new ParameterException(
                    command.commandLine(), "NAME: not set (expected: a project's name, or function)");
        }
        FunctionSources.requireName(name);
        FunctionSources function = FunctionSources.of(
                FUNCTION, inPackage == null ? name.toLowerCase(Locale.ROOT).replace("-", "") : inPackage, Place.SHARD);
        Path project = folder == null ? Path.of(name) : folder;
        if (Files.exists(project.resolve("pom.xml"))) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: exists already (expected: a folder without a project; psf new function adds to one)"
                            .formatted(project.resolve("pom.xml")));
        }
        NewFiles.create(
                ProjectSources.named(name, project, function),
                project,
                command.commandLine().getOut());
        return 0;
    }
}
