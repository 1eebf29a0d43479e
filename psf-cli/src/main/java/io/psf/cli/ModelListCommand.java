package io.psf.cli;

import io.psf.builtin.Model;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists the saved models of a directory. */
@Command(
        name = "list",
        description = {
            "Lists the models and steps of a directory of checkpoints, the newest step first.",
            "Below a step that cannot be loaded is the reason. BYTES has files that other steps have, too."
        },
        footer = {"%nExample:", "  psf model list --checkpoints /mnt/checkpoints"},
        mixinStandardHelpOptions = true)
final class ModelListCommand implements Runnable {
    @Mixin
    private CheckpointsOption checkpoints = new CheckpointsOption();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        List<Model.Step> steps = Model.list(checkpoints.place(System.getenv()));
        Table table = new Table(
                Table.name("MODEL"),
                Table.number("STEP"),
                Table.text("SAVED"),
                Table.number("TENSORS"),
                Table.number("BYTES"),
                Table.text("STATE"));
        for (Model.Step each : steps) {
            table.add(
                    each.model(),
                    each.step(),
                    each.saved().truncatedTo(ChronoUnit.SECONDS),
                    each.tensors(),
                    Units.bytes(each.bytes()),
                    each.state().name().toLowerCase(Locale.ROOT));
        }
        List<String> lines = table.lines();
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        out.println(lines.get(0));
        for (int i = 0; i < steps.size(); i++) {
            out.println(lines.get(i + 1));
            if (!steps.get(i).reason().isEmpty()) {
                out.println("    " + steps.get(i).reason());
            }
        }
        out.flush();
    }
}
