package io.psf.cli;

import picocli.CommandLine.Command;

/** Writes a beginning of something. */
@Command(
        name = "new",
        description = "Writes the beginning of a function of your own.",
        subcommands = NewFunctionCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true)
final class NewCommand {}
