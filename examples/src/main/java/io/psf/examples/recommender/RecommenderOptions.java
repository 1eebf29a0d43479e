package io.psf.examples.recommender;

import io.psf.examples.OptionCheck;
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
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if one of them is invalid
     */
    void check() {
        OptionCheck.atLeast("--epochs", epochs, 1);
        OptionCheck.atLeast("--save-every", saveEvery, 1);
    }

    /** Returns these options as arguments of a worker's command line. */
    List<String> arguments() {
        return List.of("--epochs=" + epochs, "--save-every=" + saveEvery);
    }
}
