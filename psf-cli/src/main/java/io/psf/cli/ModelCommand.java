package io.psf.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands that read and make saved models. */
@Command(
        name = "model",
        description =
                "Reads saved models without a cluster: lists, shows, verifies, exports and compares them; or imports one.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ModelListCommand.class,
            ModelShowCommand.class,
            ModelVerifyCommand.class,
            ModelExportCommand.class,
            ModelImportCommand.class,
            ModelDiffCommand.class
        },
        footer = {
            "%nExamples:",
            "  psf model list --checkpoints /mnt/checkpoints",
            "  psf model export ctr --format safetensors --to ctr.safetensors",
            "  psf model import --from words.parquet --model words --to /mnt/checkpoints"
        },
        mixinStandardHelpOptions = true)
final class ModelCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Lists the commands. */
    @Override
    public void run() {
        CommandLine command = Objects.requireNonNull(spec, "spec").commandLine();
        command.usage(command.getOut());
    }
}
