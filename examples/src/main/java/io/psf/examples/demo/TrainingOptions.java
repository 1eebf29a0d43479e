package io.psf.examples.demo;

import io.psf.builtin.TensorSpec;
import io.psf.builtin.Updates;
import io.psf.examples.Count;
import io.psf.examples.Mode;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of both the demo's command and its workers. */
final class TrainingOptions {
    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Count.class,
            description = "how often the training part is gone through (default: ${DEFAULT-VALUE})")
    private int epochs = 5;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description =
                    "sync: the workers' gradients are averaged and applied once a step; async: each is applied when"
                            + " it arrives (default: ${DEFAULT-VALUE})")
    private Mode mode = Mode.SYNC;

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            description = "the optimizer of all parameters: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private DemoOptimizer optimizer = DemoOptimizer.ADAGRAD;

    @Option(names = "--realistic", description = "without the duration of the call, which is known only after it")
    private boolean realistic;

    @Option(
            names = "--device",
            paramLabel = "N",
            converter = Count.OrZero.class,
            description = "the number of the servers' GPU that the parameters are on; default: the servers' own memory")
    private @Nullable Integer device;

    @Option(
            names = "--cache",
            paramLabel = "ROWS",
            converter = Count.class,
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
        return epochs;
    }

    /** Returns the mode of combining the workers' pushes. A round is averaged, then applied once. */
    Updates updates() {
        return mode == Mode.SYNC ? Updates.MEAN : Updates.EACH;
    }

    DemoOptimizer optimizer() {
        return optimizer;
    }

    boolean realistic() {
        return realistic;
    }

    /** Returns the number of embedding rows that a worker caches; 0 for no cache. */
    int cache() {
        return cache == null ? 0 : cache;
    }

    /** Returns the folder of the checkpoints; empty if there are none. */
    Optional<Path> checkpoints() {
        return Optional.ofNullable(checkpoints).map(Path::toAbsolutePath);
    }

    /** Returns the numbers of the devices that the servers use, at most one. */
    int[] devices() {
        return device == null ? new int[0] : new int[] {device};
    }

    /** Returns a tensor's declaration in the memory that these options choose. */
    TensorSpec placed(TensorSpec tensor) {
        return device == null ? tensor : tensor.device();
    }
}
