package io.psf.examples.recommender;

import io.psf.api.PsException;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the training. */
final class RecommenderOptions {
    @Option(names = "--epochs", paramLabel = "N", description = "default: ${DEFAULT-VALUE}")
    int epochs = 5;

    @Option(
            names = "--save-every",
            paramLabel = "N",
            description = "how many batches of a worker are between two checkpoints (default: ${DEFAULT-VALUE})")
    int saveEvery = 100;

    /**
     * Checks the options before any process is started.
     *
     * @throws PsException with {@code CONFIGURATION} if one of them is invalid
     */
    void check() {
        if (epochs < 1 || saveEvery < 1) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--epochs: %d, --save-every: %d (expected: at least 1)".formatted(epochs, saveEvery));
        }
    }

    /** Returns these options as arguments of a worker's command line. */
    List<String> arguments() {
        return List.of("--epochs=" + epochs, "--save-every=" + saveEvery);
    }
}
