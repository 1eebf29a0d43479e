package io.psf.cli;

import picocli.CommandLine.Command;

/** Writes sources to start from. */
@Command(
        name = "new",
        description = "Writes the sources of a new function, to start from.",
        subcommands = NewFunctionCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true)
final class NewCommand {}
