package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.Model;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Verifies all files of a saved model. */
@Command(
        name = "verify",
        description = {
            "Reads all files of a saved model and verifies them as a load does: a line for each step.",
            "The exit code is 1 if a step is damaged; its line names the first damaged file. An unfinished step counts"
                    + " neither as damaged nor as verified: a save may be under way."
        },
        footer = {"%nExample:", "  psf model verify ctr --checkpoints /mnt/checkpoints"},
        mixinStandardHelpOptions = true)
final class ModelVerifyCommand implements Callable<Integer> {
    @Mixin
    private CheckpointsOption checkpoints = new CheckpointsOption();

    @Parameters(paramLabel = "MODEL", description = "the model's name, as psf model list prints it")
    private String model = "";

    @Option(names = "--step", paramLabel = "N", description = "default: all steps")
    private @Nullable Long step;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        CheckpointStore place = checkpoints.place(System.getenv());
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        List<Model.Step> steps = Model.list(place).stream()
                .filter(each -> each.model().equals(model) && (step == null || step == each.step()))
                .toList();
        if (steps.isEmpty()) {
            // Says what is missing.
            Model unused = step == null ? Model.open(place, model) : Model.open(place, model, step);
        }
        boolean damaged = false;
        for (Model.Step each : steps) {
            String reason = each.state() == Model.State.COMPLETE ? verify(place, each) : each.reason();
            out.println("step " + each.step() + ": "
                    + (reason.isEmpty() ? "verified, " + Units.bytes(each.bytes()) : reason));
            damaged |= !reason.isEmpty() && each.state() != Model.State.UNFINISHED;
        }
        out.flush();
        return damaged ? 1 : 0;
    }

    /** Returns the damage; empty if there is none. */
    private static String verify(CheckpointStore place, Model.Step step) {
        try {
            Model.open(place, step.model(), step.step()).verify();
            return "";
        } catch (PsException e) {
            return e.detail();
        }
    }
}
