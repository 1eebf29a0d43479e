package io.psf.examples.demo;

import io.psf.api.PsException;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Updates;
import io.psf.examples.OptionCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of both the demo's command and its workers. */
final class TrainingOptions {
    /** The mode of combining the workers' pushes. */
    enum Mode {
        /** A round of one push of each worker is averaged, then applied once. */
        SYNC(Updates.MEAN),
        /** Each push is applied on arrival. */
        ASYNC(Updates.EACH);

        private final Updates updates;

        Mode(Updates updates) {
            this.updates = updates;
        }

        Updates updates() {
            return updates;
        }

        /** Returns the option's value on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--epochs",
            paramLabel = "N",
            description = "how often the training part is gone through (default: ${DEFAULT-VALUE})")
    private int epochs = 5;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            converter = ModeConverter.class,
            description =
                    "sync: the workers' gradients are averaged and applied once a step; async: each is applied when"
                            + " it arrives (default: ${DEFAULT-VALUE})")
    private Mode mode = Mode.SYNC;

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            converter = OptimizerConverter.class,
            description = "the optimizer of all parameters, such as sgd, adam, ftrl (default: ${DEFAULT-VALUE})")
    private DemoOptimizer optimizer = DemoOptimizer.ADAGRAD;

    @Option(names = "--realistic", description = "without the duration of the call, which is known only after it")
    private boolean realistic;

    @Option(
            names = "--device",
            paramLabel = "N",
            description = "the number of the servers' GPU that the parameters are on; default: the servers' own memory")
    private @Nullable Integer device;

    @Option(
            names = "--cache",
            paramLabel = "ROWS",
            description = "the rows of the embedding table that a worker caches; pushes of a cached table are applied"
                    + " when they arrive, in both modes (default: no cache)")
    private @Nullable Integer cache;

    @Option(
            names = "--checkpoints",
            paramLabel = "FOLDER",
            description =
                    "where the model is saved after each epoch; a training continues after the epoch that it finds"
                            + " there (default: not saved)")
    private @Nullable Path checkpoints;

    static TrainingOptions of(int epochs, Mode mode, boolean realistic) {
        TrainingOptions options = new TrainingOptions();
        options.epochs = epochs;
        options.mode = mode;
        options.realistic = realistic;
        return options;
    }

    /** Returns a copy whose parameters are on the servers' device of that number. */
    TrainingOptions onDevice(int number) {
        TrainingOptions options = of(epochs, mode, realistic);
        options.optimizer = optimizer;
        options.cache = cache;
        options.checkpoints = checkpoints;
        options.device = number;
        return options;
    }

    int epochs() {
        OptionCheck.atLeast("--epochs", epochs, 1);
        return epochs;
    }

    Mode mode() {
        return mode;
    }

    DemoOptimizer optimizer() {
        return optimizer;
    }

    boolean realistic() {
        return realistic;
    }

    /** Returns the number of embedding rows that a worker caches; 0 for no cache. */
    int cache() {
        if (cache == null) {
            return 0;
        }
        if (cache < 1) {
            throw new PsException(PsException.Code.CONFIGURATION, "--cache: " + cache + " (expected: >= 1)");
        }
        return cache;
    }

    /** Returns the folder of the checkpoints; empty if there are none. */
    Optional<Path> checkpoints() {
        return Optional.ofNullable(checkpoints).map(Path::toAbsolutePath);
    }

    /** Returns the numbers of the devices that the servers use, at most one. */
    int[] devices() {
        if (device != null && device < 0) {
            throw new PsException(PsException.Code.CONFIGURATION, "--device: " + device + " (expected: >= 0)");
        }
        return device == null ? new int[0] : new int[] {device};
    }

    /** Returns a tensor's declaration in the memory that these options choose. */
    TensorSpec placed(TensorSpec tensor) {
        return device == null ? tensor : tensor.device();
    }

    /** Returns these options as arguments of a worker's command line. */
    List<String> arguments() {
        List<String> arguments =
                new ArrayList<>(List.of("--epochs", String.valueOf(epochs()), "--mode", mode.toString()));
        arguments.addAll(List.of("--optimizer", optimizer.toString()));
        if (realistic) {
            arguments.add("--realistic");
        }
        for (int number : devices()) {
            arguments.addAll(List.of("--device", String.valueOf(number)));
        }
        if (cache() > 0) {
            arguments.addAll(List.of("--cache", String.valueOf(cache)));
        }
        checkpoints().ifPresent(folder -> arguments.addAll(List.of("--checkpoints", folder.toString())));
        return arguments;
    }
}
