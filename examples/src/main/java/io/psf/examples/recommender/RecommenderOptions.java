package io.psf.examples.recommender;

import io.psf.examples.Count;
import picocli.CommandLine.Option;

/** The options of the training. */
final class RecommenderOptions {
    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Count.class,
            description = "how often each worker goes through its examples (default: ${DEFAULT-VALUE})")
    int epochs = 5;

    @Option(
            names = "--save-every",
            paramLabel = "N",
            converter = Count.class,
            description = "how many batches of a worker are between two checkpoints (default: ${DEFAULT-VALUE})")
    int saveEvery = 100;
}
