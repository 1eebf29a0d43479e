package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Model;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The saved model that a command reads, and its step. */
final class StepOption {
    @Mixin
    private CheckpointsOption checkpoints = new CheckpointsOption();

    @Parameters(paramLabel = "MODEL", description = "the model's name, as psf model list prints it")
    private String model = "";

    @Option(names = "--step", paramLabel = "N", description = "default: the newest complete step")
    private @Nullable Long step;

    /** Returns the tensor of an option {@code --tensor}. */
    static TensorId tensor(String name) {
        try {
            return TensorId.of(name);
        } catch (IllegalArgumentException e) {
            throw new PsException(PsException.Code.CONFIGURATION, "--tensor: " + e.getMessage(), e);
        }
    }

    String model() {
        return model;
    }

    Model open() {
        var place = checkpoints.place(System.getenv());
        return step == null ? Model.open(place, model) : Model.open(place, model, step);
    }
}
